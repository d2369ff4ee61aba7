// A host with just enough of OpenCode's plugin interface, of both majors: plays a plan and writes down what came of it.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , module, plan, results] = process.argv;
const [host, ...steps] = JSON.parse(readFileSync(plan, "utf8"));
const NOW = Date.now() + 3_600_000;
const SESSIONS = {
  "s-1": { id: "s-1", time: { created: NOW } },
  "s-2": { id: "s-2", parentID: "s-1", agent: "general", time: { created: NOW } },
  "s-3": { id: "s-3", parentID: "s-2", agent: "explore", time: { created: NOW } },
  "s-old": { id: "s-old", time: { created: 1 } },
};

/** What the host knows of a conversation; of `s-none` nothing, and `s-mute` is never answered. */
async function session(id) {
  if (id === "s-mute") return new Promise(() => {});
  if (!SESSIONS[id]) throw new Error("no such session");
  return SESSIONS[id];
}

/** Every instance of the plugin: the file may be reached by several ways. */
async function loaded() {
  const ways = Array.from({ length: host.ways ?? 1 }, (_, n) => `${pathToFileURL(module)}${n ? `?${n}` : ""}`);
  return Promise.all(ways.map(async (way) => (await import(way)).default));
}

async function first() {
  const client = { session: { get: async ({ path }) => ({ data: await session(path.id) }) } };
  const input = { client, directory: host.folder ?? process.cwd(), worktree: "/", project: {}, $: () => {} };
  const hooks = [];
  for (const plugin of await loaded()) hooks.push(await plugin.server(input, {}));
  return async ({ on, input: given, output = {} }) => {
    const handlers = hooks.map((one) => one[on]).filter(Boolean);
    for (const handler of handlers) await (on === "event" ? handler({ event: given }) : handler(given, output));
    return { output };
  };
}

async function second() {
  const hooks = {};
  const queue = [];
  const servers = {};
  let wake = () => {};
  let taken = () => {};
  const on = (domain) => async (name, callback) => (hooks[`${domain}.${name}`] ??= []).push(callback);
  const editor = { get: (name) => servers[name], set: (name, config) => (servers[name] = config) };
  const ctx = {
    location: { directory: host.folder ?? process.cwd() },
    tool: { hook: on("tool") },
    session: { hook: on("session"), get: ({ sessionID }) => session(sessionID) },
    mcp: { transform: async (change) => change(editor) },
    event: {
      async *subscribe({ signal }) {
        while (!signal.aborted) {
          while (queue.length) yield queue.shift();
          taken();
          await new Promise((done) => { wake = done; signal.addEventListener("abort", done, { once: true }); });
        }
      },
    },
  };
  const ends = [];
  for (const plugin of await loaded()) ends.push(await plugin.setup(ctx));
  return async ({ on: name, input = {} }) => {
    if (name === "end") for (const end of ends) await end();
    else if (name === "event") {
      const done = new Promise((all) => (taken = all));
      queue.push(input);
      wake();
      await done;
    } else for (const hook of hooks[name] ?? []) await hook(input);
    return { output: input, servers };
  };
}

/** What OpenCode 1 calls as well: the entry of the second major, with less to hand. */
async function half() {
  const given = { options: {}, agent: {}, plugin: {}, skill: {} };
  const made = [];
  for (const plugin of await loaded()) made.push(await plugin.setup(given));
  return async () => ({ made: made.filter((one) => one !== undefined) });
}

const play = await { 1: first, 2: second, half }[host.major ?? 1]();
const out = [];
for (const step of steps) {
  if (step.endless) step.output.args.self = step.output.args;
  out.push(await play(step).catch((error) => ({ thrown: error.message, output: step.output })));
  if (step.endless) delete step.output.args.self;
}
writeFileSync(results, JSON.stringify(out));
