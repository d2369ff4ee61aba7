// Carries OpenCode's events to context-mode's hook and its answers back; what is answered is decided there.
// Made by `context-mode setup`, made anew by each setup and upgrade: changes here don't last.
//
// Each event starts the hook once, at most LIMIT_MS long. Whatever fails (no hook, no end, no JSON) is a pass:
// nothing is printed, nothing is started before a conversation begins, and nothing is thrown into OpenCode but the
// refusal of a call, which is how OpenCode is told of one. `server` is called by OpenCode 1, `setup` by OpenCode 2.
// include carrier.js

const AGENT = "opencode";
const WORDS_MAX = 8_000;
const KNOWN_MAX = 1_000;
const DEPTH_MAX = 8;
const LOADED = Date.now();
// tools whose result tells the hook nothing: they read or list, or are ours
const UNTOLD = /^(read|glob|grep|list|skill|invalid|context[-_]mode_.*)$/;
// one instance a folder carries events, the one made last: the file may be reached by two ways
const OWNERS = (globalThis[Symbol.for(`${NAME}.${AGENT}`)] ??= new Map());

/** A tool's output without what is long and no text: pictures, and what only the screen shows. */
function light({ attachments: _, ...output }) {
  const told = (value) => (typeof value === "string" ? value.length < WORDS_MAX : typeof value !== "object");
  const metadata = Object.fromEntries(Object.entries(output.metadata ?? {}).filter(([, value]) => told(value)));
  const content = Array.isArray(output.content) ? output.content.map(({ data: _data, ...part }) => part) : undefined;
  return { ...output, metadata, content };
}

/** A map that forgets what it learnt first. */
class Memory extends Map {
  set(key, value) {
    if (this.size >= KNOWN_MAX) this.delete(this.keys().next().value);
    return super.set(key, value);
  }
}

/** The events of one folder, on their way to the hook and back. */
class Carrier {
  #folder;
  #session;
  #known = new Memory();
  #opened = new Memory();
  #words = new Memory();
  #summaries = new Memory();
  #notes = new Memory();
  #compacting = new Set();
  #due = new Set();
  #early = new Set();
  #waiting = new Map();

  /** `session(id)` asks the host for a conversation: its parent, when it was made, its agent. */
  constructor(folder, session) {
    this.#folder = folder;
    this.#session = session;
    OWNERS.set(folder, this);
  }

  /** Lets go of the folder, once what is on its way has come back. */
  async close() {
    await Promise.allSettled(this.#waiting.values());
    if (OWNERS.get(this.#folder) === this) OWNERS.delete(this.#folder);
  }

  /** The hook's answer to an event of the conversation `id`; an empty object for a pass. */
  async carry(event, id, more) {
    try {
      if (OWNERS.get(this.#folder) !== this) return {};
      const who = await this.#who(id);
      return (await ask(event, { hook: event, cwd: this.#cwd(more), ...who, ...more }, this.#folder)) || {};
    } catch {
      return {};
    }
  }

  /** Texts to add to a prompt. The first one of a conversation begins it. */
  async prompt(id, more) {
    await this.#waiting.get(id);
    const texts = [];
    if (id && !this.#opened.has(id)) {
      this.#opened.set(id, true);
      const { subagent } = await this.#who(id);
      texts.push(await this.carry(subagent ? "subagent.start" : "session.start", id, more));
    }
    texts.push(await this.carry("chat.message", id, more));
    return texts.map((answer) => answer.context).filter((text) => text && typeof text === "string");
  }

  /** Keeps the last words of the model. */
  said(id, text) {
    if (typeof text === "string" && text.trim()) this.#words.set(id, text.slice(-WORDS_MAX));
  }

  /** The end of a turn: of the conversation, or of a sub-agent. */
  idle(id, more) {
    return this.#later(id, async () => {
      const { subagent } = await this.#who(id);
      const name = subagent ? "subagent.stop" : "session.idle";
      return this.carry(name, id, { ...more, message: this.#words.get(id) });
    });
  }

  /** A compaction begins: the next request is its own. */
  compacting(id) {
    this.#compacting.add(id);
  }

  /** A compaction is done: the next prompt and the next request wait until this is known. */
  compacted(id, more) {
    if (this.#early.delete(id)) return undefined;
    this.#due.add(id);
    return this.#later(id, () => this.carry("session.compacted", id, more));
  }

  /** The messages of a request: the first one behind a compaction takes a text along, and so do those after it. */
  async request(messages) {
    const id = messages.at(-1)?.info.sessionID;
    if (!id || this.#compacting.delete(id)) return;
    const summary = messages.findLast(({ info }) => info.role === "assistant" && info.summary === true)?.info;
    if (summary && summary.id !== this.#summaries.get(id)) {
      this.#summaries.set(id, summary.id);
      if (summary.time?.created >= LOADED) await this.#begunAnew(id, messages);
    }
    const note = this.#notes.get(id);
    const message = note && messages.find(({ info }) => info.id === note.messageID);
    if (message) message.parts.push(part(message.info, note.text));
  }

  async #begunAnew(id, messages) {
    await this.#waiting.get(id);
    if (!this.#due.delete(id)) {
      this.#early.add(id);
      await this.carry("session.compacted", id, {});
    }
    const { context } = await this.carry("session.start", id, { source: "compact" });
    const messageID = messages.findLast(({ info }) => info.role === "user")?.info.id;
    if (messageID && context && typeof context === "string") this.#notes.set(id, { messageID, text: context });
  }

  /** The same where a request's messages are not ours to change: the text that goes along from then on. */
  async along(id) {
    await this.#waiting.get(id);
    if (this.#due.delete(id)) {
      const { context } = await this.carry("session.start", id, { source: "compact" });
      if (context && typeof context === "string") this.#notes.set(id, { text: context });
    }
    return this.#notes.get(id)?.text;
  }

  #later(id, carry) {
    const done = Promise.resolve(this.#waiting.get(id)).then(carry).catch(() => {});
    this.#waiting.set(id, done);
    return done.finally(() => this.#waiting.get(id) === done && this.#waiting.delete(id));
  }

  #cwd(more) {
    const folder = more.output?.args?.workdir ?? more.input?.args?.workdir;
    return typeof folder === "string" ? resolve(this.#folder, folder) : this.#folder;
  }

  /** Who is calling: the conversation at the root, the sub-agent below it, whether it was there before we were. */
  #who(id) {
    if (!id) return {};
    if (!this.#known.has(id)) this.#known.set(id, this.#asked(id));
    return this.#known.get(id);
  }

  async #asked(id) {
    const own = await this.#limited(id);
    let root = id;
    for (let info = own, depth = 0; info?.parentID && depth < DEPTH_MAX; depth += 1) {
      root = info.parentID;
      info = await this.#limited(root);
    }
    const source = own?.time?.created < LOADED ? "resume" : "startup";
    return root === id ? { conversation: id, source } : { conversation: root, source, subagent: id, agent: own.agent };
  }

  async #limited(id) {
    let timer;
    const late = new Promise((done) => (timer = setTimeout(done, LIMIT_MS)));
    try {
      return await Promise.race([this.#session(id), late]);
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Adds what the hook adds to a call's input, or refuses the call. */
function takeCall(answer, input) {
  if (answer.deny && typeof answer.deny === "string") throw new Error(answer.deny);
  if (input && typeof input === "object" && typeof answer.args === "object") Object.assign(input, answer.args);
}

/** A handler whose faults end nothing of the host's. */
function quiet(handle) {
  return async (...given) => {
    try {
      await handle(...given);
    } catch {
      // it goes on as if we were not there
    }
  };
}

/** A text of ours in a message. Its id sorts behind those of the parts that are there. */
function part({ id: messageID, sessionID }, text) {
  const time = (BigInt(Date.now()) * 0x1000n + 0xfffn).toString(16).slice(-12).padStart(12, "0");
  const id = `prt_${time}${Math.random().toString(36).slice(2, 12).padEnd(14, "0")}`;
  return { id, sessionID, messageID, type: "text", text, synthetic: true };
}

/** The hooks of OpenCode 1. */
async function server(input) {
  const carrier = new Carrier(input.directory, async (id) => (await input.client.session.get({ path: { id } }))?.data);
  const events = { "session.compacted": "compacted", "session.idle": "idle" };
  return {
    config: quiet((config) => {
      if (!PACKAGED) return;
      const command = [placed(SERVE), "--agent", AGENT];
      (config.mcp ??= {})[NAME] ??= { type: "local", command, enabled: true, timeout: 660_000 };
      ((config.skills ??= {}).paths ??= []).push(placed("skills"));
    }),
    event: quiet(({ event }) => {
      const id = event.properties?.sessionID;
      return id && events[event.type] ? carrier[events[event.type]](id, { event }) : undefined;
    }),
    "chat.message": quiet(async (given, output) => {
      const parts = output.parts.filter((part) => part.type === "text");
      const texts = await carrier.prompt(given.sessionID, { input: given, output: { parts } });
      output.parts.push(...texts.map((text) => part(output.message, text)));
    }),
    "experimental.session.compacting": quiet((given) => carrier.compacting(given.sessionID)),
    "experimental.chat.messages.transform": quiet((_, output) => carrier.request(output.messages)),
    "experimental.text.complete": quiet((given, output) => carrier.said(given.sessionID, output.text)),
    "tool.execute.before": async (given, output) => {
      takeCall(await carrier.carry("tool.execute.before", given.sessionID, { input: given, output }), output.args);
    },
    "tool.execute.after": quiet(async (given, output) => {
      if (UNTOLD.test(given.tool)) return;
      const more = { input: given, output: light(output) };
      const { replace } = await carrier.carry("tool.execute.after", given.sessionID, more);
      if (typeof replace === "string") output.output = replace;
      if (Array.isArray(replace)) output.content = replace;
    }),
    dispose: quiet(() => carrier.close()),
  };
}

/** The result of a tool of OpenCode 2 as OpenCode 1 tells it. */
function resultOf({ output, content, metadata }) {
  const parts = Array.isArray(content) ? content : [];
  if (!parts.length) return { output, metadata };
  if (!parts.every((part) => part.type === "text")) return { content: parts };
  return { output: parts.map((part) => part.text).join("\n"), metadata };
}

function replaceResult(result, text) {
  result.content = [{ type: "text", text }];
  if (typeof result.output === "string") result.output = text;
  else if (typeof result.output?.output === "string") result.output.output = text;
}

/** Registers the hooks of OpenCode 2. OpenCode 1 calls this as well, with less to hand. */
async function setup(ctx) {
  if (typeof ctx?.tool?.hook !== "function" || typeof ctx.session?.hook !== "function") return undefined;
  const carrier = new Carrier(ctx.location?.directory ?? process.cwd(), (id) => ctx.session.get({ sessionID: id }));
  const call = (event) => ({ tool: event.tool, sessionID: event.sessionID, callID: event.id ?? event.callID });
  if (PACKAGED) {
    const entry = { type: "local", command: [placed(SERVE), "--agent", AGENT], codemode: false };
    await quiet(() => ctx.mcp?.transform?.((servers) => servers.get(NAME) ?? servers.set(NAME, entry)))();
  }
  await ctx.tool.hook("execute.before", async (event) => {
    const more = { input: call(event), output: { args: event.input } };
    const answer = await carrier.carry("tool.execute.before", event.sessionID, more);
    // a closed schema refuses what it does not list: then the server tells the caller by the call itself
    if (event.inputSchema?.additionalProperties === false) delete answer.args;
    takeCall(answer, event.input);
  });
  await ctx.tool.hook("execute.after", quiet(async (event) => {
    if (UNTOLD.test(event.tool)) return;
    const failed = event.status === "error";
    const input = { ...call(event), args: event.input };
    const told = failed ? { error: String(event.error?.message) } : { output: light(resultOf(event.result ?? {})) };
    const name = failed ? "tool.execute.failed" : "tool.execute.after";
    const { replace } = await carrier.carry(name, event.sessionID, { input, ...told });
    if (typeof replace === "string" && event.result) replaceResult(event.result, replace);
  }));
  await ctx.session.hook("prompt", quiet(async (event) => {
    const parts = [{ type: "text", text: event.prompt?.text }];
    const texts = await carrier.prompt(event.sessionID, { input: { sessionID: event.sessionID }, output: { parts } });
    if (texts.length) event.prompt.text = [event.prompt.text, ...texts].join("\n\n");
  }));
  await ctx.session.hook("context", quiet(async (event) => {
    const text = (event.kind ?? "primary") === "primary" && (await carrier.along(event.sessionID));
    if (text) event.system.push({ type: "text", text });
  }));
  const stop = new AbortController();
  listen(ctx, carrier, stop.signal).catch(() => {});
  return async () => {
    stop.abort();
    await carrier.close();
  };
}

async function listen(ctx, carrier, signal) {
  for await (const event of ctx.event?.subscribe?.({ signal }) ?? []) {
    const { sessionID: id, text } = event?.data ?? {};
    const told = { event: { type: event?.type } };
    if (!id) continue;
    if (event.type === "session.text.ended") carrier.said(id, text);
    if (event.type === "session.compaction.ended") carrier.compacted(id, told);
    if (event.type === "session.execution.succeeded") carrier.idle(id, told);
  }
}

export default { id: NAME, server, setup };
