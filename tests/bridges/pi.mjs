// A host with just enough of Pi's extension interface: plays the events of a plan and writes down what came of each.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , module, plan, results] = process.argv;
const steps = JSON.parse(readFileSync(plan, "utf8"));
const handlers = {};
const tools = {};
const sent = [];
const servers = [];
const pi = {
  on: (name, handler) => (handlers[name] ??= []).push(handler),
  sendMessage: (message, options) => sent.push({ message, options }),
  registerTool: (tool) => (tools[tool.name] = tool),
};
if (steps.some((step) => step.mcp)) pi.registerMcpServer = (name, config) => servers.push({ name, config });

function context({ cwd = process.cwd(), hasUI = false, says, entries = [], broken = false }) {
  const confirm = async () => {
    if (says === "throw") throw new Error("no dialog");
    return says;
  };
  const manager = { getSessionId: () => "s-1", getSessionFile: () => "/s-1.jsonl", getEntries: () => entries };
  const throwing = { getSessionId: () => { throw new Error("no session"); } };
  return { cwd, mode: "json", hasUI, ui: { confirm }, sessionManager: broken ? throwing : manager };
}

async function played(step) {
  const ctx = context(step.ctx ?? {});
  if (step.call) {
    const outcome = tools[step.call]?.execute("c-1", step.args, undefined, undefined, ctx) ?? Promise.reject("no tool");
    return outcome.then((result) => ({ result }), (error) => ({ error: String(error.message ?? error) }));
  }
  const event = { type: step.on, ...step.event };
  if (step.endless) event.self = event;
  const returned = [];
  for (const handler of handlers[step.on] ?? []) returned.push(await handler(event, ctx));
  return { returned: returned.filter((one) => one !== undefined), input: event.input };
}

const files = [module];
if (steps.some((step) => step.twice)) {
  files.push(`${module}.second.mjs`);
  copyFileSync(module, files[1]);
}
for (const file of files) (await import(pathToFileURL(file))).default(pi);
const out = [];
for (const step of steps) out.push(await played(step));
out.push({ sent, servers, tools: Object.keys(tools).sort(), events: Object.keys(handlers).sort() });
writeFileSync(results, JSON.stringify(out));
