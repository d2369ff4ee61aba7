// Drives a server over stdio with an official TypeScript client: `node driver.mjs PLAN`, one JSON object out.
// PLAN (JSON): `modules` a folder below which the packages lie, `sdk` "v1" or "v2", `mode` of v2's version negotiation,
// `server` {command, args, cwd, env}, `steps` [{tool, arguments, progress?, abortAfterReading?}].
// `abortAfterReading` names a named pipe: what the command writes into it says that it runs; then the call is aborted.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const plan = JSON.parse(process.argv[2]);
const load = createRequire(join(plan.modules, "package.json"));
const v1 = plan.sdk === "v1";
const { Client } = load(v1 ? "@modelcontextprotocol/sdk/client/index.js" : "@modelcontextprotocol/client");
const { StdioClientTransport } = load(
  v1 ? "@modelcontextprotocol/sdk/client/stdio.js" : "@modelcontextprotocol/client/stdio",
);

async function step(client, { tool, arguments: given, progress, abortAfterReading }) {
  const told = [];
  const abort = new AbortController();
  const options = { signal: abort.signal, ...(progress && { onprogress: (news) => told.push(news) }) };
  const params = { name: tool, arguments: given };
  const call = v1 ? client.callTool(params, undefined, options) : client.callTool(params, options);
  const reading = abortAfterReading ? readFile(abortAfterReading, "utf8").then((text) => {
    abort.abort("enough");
    return text.trim();
  }) : undefined;
  try {
    const { content, isError = false } = await call;
    return { text: content.map((part) => part.text).join("\n"), isError, progress: told };
  } catch (error) {
    return { thrown: String(error), code: error.code ?? null, read: (await reading) ?? null, progress: told };
  }
}

const client = new Client({ name: "driver", version: "1" }, v1 ? {} : { versionNegotiation: { mode: plan.mode } });
const problems = [];
client.onerror = (error) => problems.push(String(error));
await client.connect(new StdioClientTransport(plan.server));
const { tools } = await client.listTools();
const results = [];
for (const each of plan.steps) results.push(await step(client, each));
const version = v1 ? null : client.getNegotiatedProtocolVersion();
const server = client.getServerVersion();
await client.close();
console.log(JSON.stringify({ version, server, tools, results, problems }));
