// Carries Pi's events to context-mode's hook and its answers back; what is answered is decided there.
// Made by `context-mode setup`, made anew by each setup and upgrade: changes here don't last.
//
// Each event starts the hook once, at most LIMIT_MS long. Whatever fails (no hook, no end, no JSON) is a pass:
// nothing is thrown into Pi, nothing is printed, nothing is started before a session begins.
// include carrier.js

const AGENT = "pi";
const CONNECT_MS = 10_000;
const CALL_MS = 660_000;
const PREFIX = "mcp__context_mode__";
const HEAVY = /^(systemPrompt|systemPromptOptions|images|messages|usage|preparation|branchEntries|compactionEntry|signal)$/;
// results that the hook has a use for; a call is always told, rules may name any tool
const RESULTS = /^(bash|powershell|edit|write|mcp__(?!context_mode__).+)$/;

// one bridge carries the events of a session, however many are loaded: for the user, for a project, by a package
const OWNERS = (globalThis[Symbol.for(`${NAME}.${AGENT}`)] ??= { of: new Map(), begun: new WeakSet() });
const ME = {};

/** Whether this bridge carries a session's events: the first one that its start reaches. */
function mine(event, ctx) {
  const id = ctx.sessionManager.getSessionId();
  const begins = event.type === "session_start" && !OWNERS.begun.has(event);
  if (begins) OWNERS.begun.add(event);
  if (begins || !OWNERS.of.has(id)) OWNERS.of.set(id, ME);
  return OWNERS.of.get(id) === ME;
}

/** An event as the hook gets it: without what it has no use for, with who is calling. */
function told(event, ctx, more) {
  const fields = Object.entries(event).filter(([name]) => !HEAVY.test(name));
  const light = { ...Object.fromEntries(fields), ...more };
  if (Array.isArray(light.content)) light.content = light.content.map(({ data, ...part }) => part);
  const { sessionManager: session, cwd, mode, hasUI } = ctx;
  const caller = { cwd, mode, hasUI, sessionId: session.getSessionId(), sessionFile: session.getSessionFile() };
  return { event: light, ctx: caller };
}

/** How much was said in a session that begins: a resumed one gives the same reason as a new one. */
function said(_event, ctx) {
  return { earlier: ctx.sessionManager.getEntries().filter((entry) => entry.type === "message").length };
}

/** A handler that asks the hook and hands on what `take` makes of its answer; an error is a pass. */
function handler(take, more = () => ({})) {
  return async (event, ctx) => {
    try {
      if (!mine(event, ctx)) return undefined;
      const answer = await ask(event.type, told(event, ctx, more(event, ctx)));
      return answer ? await take(answer, event, ctx) : undefined;
    } catch {
      return undefined;
    }
  };
}

/** A call: refused, or put to the user first, or given a field more. */
async function takeCall(answer, event, ctx) {
  const reason = String(answer.reason || "");
  if (answer.block === true) return { block: true, reason };
  if (answer.ask === true && !(await allowed(reason, ctx))) {
    const way = ctx.hasUI ? "the user said no" : "nobody is here to be asked";
    return { block: true, reason: `denied: it ${reason}, and ${way}` };
  }
  if (answer.set_input && typeof answer.set_input === "object") Object.assign(event.input, answer.set_input);
  return undefined;
}

/** What the user says to a question; without a user, or when asking fails, no. */
async function allowed(question, ctx) {
  try {
    return ctx.hasUI && (await ctx.ui.confirm(NAME, question)) === true;
  } catch {
    return false;
  }
}

function takeResult(answer) {
  return Array.isArray(answer.content) ? { content: answer.content } : undefined;
}

function takePrompt(answer) {
  return typeof answer.message?.content === "string" ? { message: answer.message } : undefined;
}

/** Adds a message to the conversation: before the next request of a run that is going on, else to what is kept. */
function sender(pi) {
  return (answer) => {
    if (typeof answer.message?.content === "string") pi.sendMessage(answer.message, { deliverAs: "steer" });
  };
}

/** The last words of the model, which is all that is kept of a run. */
function lastWords(event) {
  const answers = (event.messages || []).filter((message) => message.role === "assistant");
  return { messages: answers.slice(-1).map(({ content }) => ({ role: "assistant", content })) };
}

/** Our server over its own pipe, for a Pi that knows no MCP; started anew when it has ended. */
class Server {
  #child;
  #waiting = new Map();
  #last = 0;

  /** The tools that it offers. */
  async tools(cwd) {
    this.#open(cwd);
    const asked = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: AGENT, version: "bridge" } };
    await this.#request("initialize", asked, CONNECT_MS);
    this.#send({ method: "notifications/initialized" });
    return (await this.#request("tools/list", {}, CONNECT_MS)).tools;
  }

  /** The answer to one call. An ended server is started again. */
  async call(name, args, signal, cwd) {
    if (!this.#child) await this.tools(cwd);
    return this.#request("tools/call", { name, arguments: args }, CALL_MS, signal);
  }

  /** Lets the server end by itself, for which Pi need not wait; one that does not answer is ended. */
  close({ stuck = false } = {}) {
    const child = this.#child;
    if (!child) return;
    this.#gone(child);
    child.stdin.end();
    child.unref();
    child.stdout.unref?.();
    if (stuck) end(child);
  }

  #open(cwd) {
    this.close();
    const child = start(SERVE, ["--agent", AGENT], { cwd, stdio: ["pipe", "pipe", "ignore"] });
    this.#child = child;
    let rest = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (part) => {
      const lines = (rest + part).split("\n");
      rest = lines.pop();
      for (const line of lines) this.#settle(read(line));
    });
    child.stdin.on("error", () => {});
    for (const ended of ["error", "exit"]) child.on(ended, () => this.#gone(child));
  }

  #gone(child) {
    if (this.#child !== child) return;
    this.#child = undefined;
    for (const { fail } of this.#waiting.values()) fail(new Error(`${NAME}: the server has ended`));
  }

  #settle(message) {
    const waiting = message && this.#waiting.get(message.id);
    if (!waiting) return;
    if (message.error) waiting.fail(new Error(String(message.error.message)));
    else waiting.done(message.result || {});
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #request(method, params, limit, signal) {
    const id = ++this.#last;
    const stop = () => {
      this.#waiting.get(id)?.fail(new Error(`${NAME}: ${method} was stopped`));
      if (this.#child) this.#send({ method: "notifications/cancelled", params: { requestId: id } });
    };
    const timer = setTimeout(stop, limit);
    const answer = new Promise((done, fail) => this.#waiting.set(id, { done, fail }));
    signal?.addEventListener("abort", stop, { once: true });
    this.#send({ id, method, params });
    return answer.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      this.#waiting.delete(id);
    });
  }
}

/** Offers our tools to a Pi without MCP; what fails is tried again at the next prompt. */
class Tools {
  #server = new Server();
  #offered = false;

  async offer(pi, ctx) {
    if (this.#offered || typeof pi.registerMcpServer === "function") return;
    try {
      if (!mine({}, ctx)) return;
      for (const tool of await this.#server.tools(ctx.cwd)) pi.registerTool(this.#made(tool));
      this.#offered = true;
    } catch {
      this.#server.close({ stuck: true });
    }
  }

  close() {
    this.#server.close();
    this.#offered = false;
  }

  #made({ name, description, inputSchema }) {
    return {
      name: PREFIX + name,
      label: name,
      description,
      parameters: inputSchema,
      execute: async (_id, params, signal, _update, ctx) => {
        const result = await this.#server.call(name, params, signal, ctx.cwd);
        // an error of the tool is told to Pi by throwing
        if (result.isError) throw new Error(result.content.map((part) => part.text).join("\n"));
        return { content: result.content, details: {} };
      },
    };
  }
}

export default function (pi) {
  try {
    const tools = new Tools();
    const begin = handler(sender(pi), said);
    const prompt = handler(takePrompt);
    pi.on("session_start", async (event, ctx) => {
      const begun = begin(event, ctx);
      await Promise.all([begun, tools.offer(pi, ctx)]);
    });
    pi.on("before_agent_start", async (event, ctx) => {
      await tools.offer(pi, ctx);
      return prompt(event, ctx);
    });
    pi.on("tool_call", handler(takeCall));
    // words that come while the model is at work reach no other event
    const steered = handler(() => undefined);
    pi.on("input", (event, ctx) => (event.streamingBehavior ? steered(event, ctx) : undefined));
    const result = handler(takeResult);
    pi.on("tool_result", (event, ctx) => (RESULTS.test(event.toolName) ? result(event, ctx) : undefined));
    pi.on("session_before_compact", handler(() => undefined));
    pi.on("session_compact", handler(sender(pi)));
    pi.on("agent_end", handler(() => undefined, lastWords));
    const finish = handler(() => undefined);
    pi.on("session_shutdown", async (event, ctx) => {
      tools.close();
      await finish(event, ctx);
    });
    if (PACKAGED) offerServer(pi);
  } catch {
    // Pi goes on without us
  }
}

/** The MCP entry of a package: a Pi that knows MCP starts the server itself; an entry of the user's goes before. */
function offerServer(pi) {
  pi.registerMcpServer?.(NAME, { command: placed(SERVE), args: ["--agent", AGENT], exposure: "direct", timeout: CALL_MS / 1000 });
}
