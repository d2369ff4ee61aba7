// Inside VS Code: registers a language model that asks the stand-in for every turn, and types prompts into the chat
// view as they are ordered. Every question of the chat view is answered with "Allow", as a user's click would, and told.
//
// CONTROL/next takes what came of an order, {"asked": [texts of the questions], "errors": [texts]}, and gives the next
// one: {"model": URL, "prompt": text, "fresh": bool, "servers": bool, "page": URL of the page's debugger}.
'use strict';
const vscode = require('vscode');
const http = require('http');

const CONTROL = process.env.STAND_IN_CONTROL;
const MODEL = { vendor: 'stand-in', id: 'stand-in' };
const WINDOW = 200000;
const STEP_MS = 100;
const AGAIN = 20;
// What the page says of the chat: whether an answer is being made, and the texts of open questions.
const LOOK = `JSON.stringify({
  busy: !!document.querySelector('.interactive-session .chat-response-loading'),
  asks: [...document.querySelectorAll('.interactive-session .chat-confirmation-widget2, .interactive-session .chat-confirmation-widget')].map(e => e.innerText),
})`;

let order = null;
let longer = 1;   // how much longer than it is the conversation is said to be

const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

function send(url, body) {
  return new Promise((resolve, reject) => {
    const data = Buffer.from(JSON.stringify(body));
    const headers = { 'content-type': 'application/json', 'content-length': data.length };
    const request = http.request(url, { method: 'POST', headers }, response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', part => { text += part; });
      response.on('end', () => { try { resolve(JSON.parse(text || '{}')); } catch (error) { reject(error); } });
    });
    request.on('error', reject);
    request.end(data);
  });
}

function part(one) {
  if (one instanceof vscode.LanguageModelTextPart) return { type: 'text', text: one.value };
  if (one instanceof vscode.LanguageModelToolCallPart) return { type: 'tool_use', id: one.callId, name: one.name, input: one.input };
  if (one instanceof vscode.LanguageModelToolResultPart) return { type: 'tool_result', id: one.callId, content: one.content.map(part) };
  return { type: 'text', text: one && typeof one.value === 'string' ? one.value : '' };
}

const ROLES = { 1: 'user', 2: 'assistant' };

const provider = {
  provideLanguageModelChatInformation: () => [{
    id: MODEL.id, name: 'Stand-in', family: 'stand-in', version: '1', maxInputTokens: WINDOW, maxOutputTokens: 8000,
    isUserSelectable: true, isDefault: true, capabilities: { toolCalling: true, imageInput: false },
  }],
  async provideLanguageModelChatResponse(model, messages, options, progress) {
    const answer = await send(`${order.model}/turn`, {
      messages: messages.map(one => ({ role: ROLES[one.role] || 'system', content: one.content.map(part) })),
      tools: (options.tools || []).map(tool => ({ name: tool.name, description: tool.description, inputSchema: tool.inputSchema })),
    });
    longer = answer.longer || 1;
    for (const one of answer.parts) {
      progress.report(one.type === 'tool_use'
        ? new vscode.LanguageModelToolCallPart(one.id, one.name, one.input) : new vscode.LanguageModelTextPart(one.text));
    }
  },
  provideTokenCount: async (model, text) => longer * Math.ceil((typeof text === 'string' ? text : JSON.stringify(text)).length / 4),
};

// The page, over the DevTools protocol.
class Page {
  constructor(url) {
    this.socket = new WebSocket(url);
    this.waiting = new Map();
    this.open = new Promise((resolve, reject) => { this.socket.onopen = resolve; this.socket.onerror = reject; });
    this.socket.onmessage = event => {
      const message = JSON.parse(event.data);
      const resolve = this.waiting.get(message.id);
      if (resolve) resolve(message.result);
    };
  }

  async evaluate(expression) {
    await this.open;
    const id = this.waiting.size + 1;
    const answer = new Promise(resolve => this.waiting.set(id, resolve));
    this.socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params: { expression, returnByValue: true } }));
    return (await answer).result.value;
  }

  close() { this.socket.close(); }
}

// The chat agent, which a fresh profile keeps switched off until somebody signs in.
async function agent() {
  const chat = () => vscode.extensions.getExtension('GitHub.copilot-chat');
  for (let n = 0; ; n++) {
    // again after a while: a window that is still being built does not know the command, or forgets it
    if (!chat() && n % AGAIN === 0) {
      try { await vscode.commands.executeCommand('workbench.extensions.action.enableAll'); } catch { continue; }
    }
    const models = await vscode.lm.selectChatModels(MODEL);
    if (models.length && chat() && chat().isActive) return;
    await sleep(STEP_MS);
  }
}

// The tools of MCP servers: a window that has just been opened still reads its files.
async function tools() {
  while (!vscode.lm.tools.some(tool => tool.name.startsWith('mcp_'))) {
    await vscode.commands.executeCommand('workbench.mcp.startServer', '*', { waitForLiveTools: true });
    await sleep(STEP_MS);
  }
}

async function follow() {
  const asked = [], errors = [];
  const page = new Page(order.page);
  if (order.servers) await tools();
  if (order.fresh) await vscode.commands.executeCommand('workbench.action.chat.newChat');
  let answer;
  vscode.commands.executeCommand('workbench.action.chat.open', {
    query: order.prompt, mode: 'agent', modelSelector: MODEL, blockOnResponse: true,
  }).then(value => { answer = value || {}; }, error => { answer = { errorDetails: { message: String(error) } }; });
  for (let quiet = 0; quiet < 3;) {
    await sleep(STEP_MS);
    const { busy, asks } = JSON.parse(await page.evaluate(LOOK));
    for (const one of asks) if (!asked.includes(one)) asked.push(one);
    if (asks.length) await vscode.commands.executeCommand('workbench.action.chat.acceptTool');
    quiet = answer && !busy ? quiet + 1 : 0;
  }
  if (answer.errorDetails) errors.push(answer.errorDetails.message);
  page.close();
  return { asked, errors };
}

exports.activate = async context => {
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider(MODEL.vendor, provider));
  let done = {};
  await agent();
  for (;;) {
    order = await send(`${CONTROL}/next`, done);
    try { done = await follow(); } catch (error) { done = { asked: [], errors: [String(error && error.stack || error)] }; }
  }
};
