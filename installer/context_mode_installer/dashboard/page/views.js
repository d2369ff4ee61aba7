// The pages: each reads its data and returns a title and nodes.

import { days, flow, meter } from "./chart.js";
import { bytes, el, number, percent, rough, table, when } from "./dom.js";

const ACCOUNT = [
  ["produced", "Produced"], ["saved", "Saved"], ["fetched", "Fetched back"], ["own_cost", "Own cost"], ["net", "Net"],
  ["calls", "Calls"], ["conversations", "Conversations"], ["indexed", "Indexed, not saved"],
];
const METHOD = "Measured in bytes at each call. Saved: produced less returned, counted once, only where less came back. Own cost: our "
  + "tool list, instructions and start text in each conversation, and the words of our replies. Net: saved less fetched back "
  + "less own cost. Tokens are estimated at 4 bytes each.";

const LONG = 400;

const project = (one) => encodeURIComponent(one.project);
const code = (text) => el("code", {}, text);
const heading = (text) => el("h1", { tabindex: -1 }, text);
const nothing = (...lines) => el("div", { class: "empty" }, lines.map((line) => el("p", {}, line)));

function problems(list) {
  return list.map((one) => el("p", { class: "problem" }, `Not in these numbers: ${one.path}: ${one.reason}`));
}

export async function savings(read, scope) {
  const data = await read("stats", { project: scope });
  const main = data.scopes[scope ? "project" : "all"];
  const nodes = [problems(data.unreadable)];
  if (!data.scopes.all.calls && !data.scopes.all.conversations) {
    return { title: "Savings", nodes: [...nodes, heading("Nothing was counted yet"),
      nothing(["Once an agent works with context-mode, this page shows what was kept out of its context, live."], ["Set up an agent: ", code("context-mode setup"), ". See it work without one: ", code("context-mode demo"), "."])] };
  }
  nodes.push(
    el("div", { class: "hero" }, el("h1", { tabindex: -1 }, percent(main), el("span", { class: "hidden" }, " kept out of the context")),
      el("p", {}, `kept out of the context: of ${bytes(main.produced)} that tools produced, ${bytes(Math.max(main.produced - main.saved, 0))} came through at once. `
        + `That is about ${rough(Math.max(main.net_tokens_estimated, 0))} tokens, estimated.`)),
    flow(main));
  if (main.days.length) nodes.push(days(main.days));
  nodes.push(account(data, scope));
  if (main.tools.length) nodes.push(el("h2", {}, "By tool"), tools(main));
  if (data.largest.length) nodes.push(el("h2", {}, "Largest outputs stored"), largest(data, scope));
  nodes.push(el("p", { class: "method" }, METHOD), costs(data));
  return { title: "Savings", nodes };
}

function account(data, scope) {
  const shown = [["all", `All projects (${data.projects})`]];
  if (scope) shown.unshift(["project", "This project"]);
  if (scope && data.conversation) shown.unshift(["conversation", "Newest conversation"]);
  const scopes = shown.map(([name]) => data.scopes[name]);
  const rows = ACCOUNT.map(([name, title]) => {
    const cells = [title, ...scopes.map((one) => number(one[name]))];
    cells.kind = name === "net" ? "sum" : null;
    return cells;
  });
  rows.splice(5, 0, ["Kept out (net)", ...scopes.map(percent)]);
  rows.push(["Net, estimated in tokens", ...scopes.map((one) => number(one.net_tokens_estimated))]);
  const newest = scope && data.conversation
    ? el("p", { class: "quiet" }, "Newest conversation: ", el("a", { "data-key": "newest", href: `#/conversation/${encodeURIComponent(scope)}/${encodeURIComponent(data.conversation.id)}` }, data.conversation.id), ", last used ", when(data.conversation.last))
    : null;
  return [el("h2", {}, "The account"), newest, table("The account", [["Measured, in bytes", ""], ...shown.map(([, title]) => [title, "n"])], rows)].filter(Boolean);
}

function tools(main) {
  const most = Math.max(...main.tools.map((tool) => tool.saved), 1);
  const rows = main.tools.map((tool) => {
    const brings = !tool.produced && !tool.saved;
    return [[tool.tool, brings ? null : meter(Math.max(tool.saved, 0) / most)], number(tool.calls), brings ? "–" : number(tool.produced), brings ? "–" : number(tool.saved)];
  });
  return table("By tool, in bytes", [["Tool", "wide"], ["calls", "n"], ["produced", "n"], ["saved", "n"]], rows);
}

function largest(data, scope) {
  const rows = data.largest.map((one) => [
    [el("a", { "data-key": `output ${one.key} ${one.source}`, href: `#/source/${encodeURIComponent(one.key)}/${one.source}` }, one.label), el("span", { class: "sub" }, scope ? one.tool : `${one.tool}, ${one.project}`)],
    number(one.bytes), number(one.chunks), when(one.made),
  ]);
  return table("Largest outputs stored", [["Output", "wide"], ["bytes", "n"], ["parts", "n"], ["stored", "t"]], rows);
}

function costs(data) {
  const lines = data.fixed_cost.map((one) => `${one.agent || "any other agent"}: ${one.parts.map((part) => `${part.name} ${number(part.bytes)} B`).join(", ")}`);
  return lines.length ? el("p", { class: "method" }, `Own cost of each conversation. ${lines.join("; ")}.`) : null;
}

export async function search(read, scope, { q = "" }) {
  const form = el("form", { role: "search", on: { submit: (event) => {
    event.preventDefault();
    location.hash = `#/search?q=${encodeURIComponent(new FormData(form).get("q"))}`;
  } } }, el("label", {}, "Words or a question", el("input", { name: "q", type: "search", value: q, autocomplete: "off", spellcheck: "false", "data-key": "q" })), el("button", { "data-key": "go" }, "Search"));
  const nodes = [heading("Search"), el("p", { class: "quiet" }, "The snippets are those that an agent gets from ctx_search, by the same code."), form];
  if (q) nodes.push(...results(await read("search", { project: scope, query: q }), scope));
  const found = await read("sources", { project: scope });
  nodes.push(el("h2", {}, found.count > found.sources.length ? `Sources, the newest ${found.sources.length} of ${number(found.count)}` : `Sources (${number(found.count)})`));
  nodes.push(found.sources.length ? sources(found.sources, scope) : nothing(["Nothing is stored here yet. Index files with ", code("context-mode index docs/"), "."]));
  return { title: q ? `Search: ${q}` : "Search", nodes };
}

function results(found, scope) {
  const told = found.results.filter((one) => scope || hits(one).length);
  if (!told.length) return [nothing(scope || !found.results.length ? "Nothing is stored here yet." : "No project holds a match.")];
  return told.flatMap((one) => [
    el("h2", {}, scope ? "What an agent gets" : `What an agent gets in ${one.name}`),
    one.error ? el("p", { class: "problem" }, one.error) : null,
    el("ul", { class: "hits" }, [...(one.waits || []).map((line) => `  (${line})`), ...(one.blocks || [])].map((block) => el("li", {}, snippet(block)))),
  ]);
}

const hits = (one) => (one.blocks || []).filter((block) => !block.startsWith("  "));

function snippet(block) {
  if (block.startsWith("  ")) return el("p", { class: "quiet" }, block.trim());
  const [first, ...rest] = block.split("\n");
  return el("pre", {}, el("b", {}, first), rest.join("\n"));
}

function sources(list, scope) {
  const rows = list.map((one) => [
    [el("a", { "data-key": `source ${one.project} ${one.sid}`, href: `#/source/${project(one)}/${one.sid}` }, one.label), el("span", { class: "sub" }, [one.sid, one.tool, scope ? null : one.name, one.live ? "running" : null].filter(Boolean).join(", "))],
    number(one.bytes), number(one.chunks), when(one.made),
  ]);
  return table("Sources", [["Source", "wide"], ["bytes", "n"], ["parts", "n"], ["stored", "t"]], rows);
}

export async function source(read, scope, { path: [key, sid], from = "1" }) {
  const found = await read("source", { project: key, source: sid, offset: from });
  const here = `#/source/${encodeURIComponent(key)}/${sid}`;
  const ways = [from !== "1" ? el("a", { "data-key": "first", href: here }, "From the beginning") : null, found.next ? el("a", { "data-key": "next", href: `${here}?from=${found.next}` }, "Read on") : null].filter(Boolean);
  return { title: `Source ${sid}`, nodes: [
    heading(found.label), el("p", { class: "quiet" }, `${sid}, as an agent reads it in order by ctx_search.`),
    el("pre", {}, found.text), ways.length ? el("p", { class: "ways" }, ways) : null,
  ] };
}

export async function conversations(read, scope) {
  const found = await read("conversations", { project: scope });
  const nodes = [heading("Conversations")];
  if (!found.conversations.length) return { title: "Conversations", nodes: [...nodes, nothing("No conversation is stored here yet.")] };
  if (found.count > found.conversations.length) nodes.push(el("p", { class: "quiet" }, `The ${found.conversations.length} used last, of ${number(found.count)}.`));
  const rows = found.conversations.map((one) => [
    [el("a", { "data-key": `conversation ${one.project} ${one.id}`, href: `#/conversation/${project(one)}/${encodeURIComponent(one.id)}` }, short(one.asked, 120) || one.id), el("span", { class: "sub" }, [one.asked ? one.id : null, scope ? null : one.name].filter(Boolean).join(", "))],
    number(one.calls), number(one.rows), number(one.net), when(one.last),
  ]);
  nodes.push(table("Conversations", [["Asked last", "wide"], ["calls", "n"], ["journal rows", "n"], ["net bytes kept out", "n"], ["last used", "t"]], rows));
  return { title: "Conversations", nodes };
}

export async function conversation(read, scope, { path: [key, id] }) {
  const found = await read("conversation", { project: key, name: id });
  const facts = [["Kept out", percent(found.stats)], ["Net", `${number(found.stats.net)} B`], ["Produced", `${number(found.stats.produced)} B`], ["Saved", `${number(found.stats.saved)} B`], ["Fetched back", `${number(found.stats.fetched)} B`], ["Calls", number(found.stats.calls)]];
  const rows = found.journal.map((row) => [`#${row.seq}`, row.kind, whole(row), when(row.at)]);
  return { title: `Conversation ${id}`, nodes: [
    heading(id), el("dl", { class: "facts" }, facts.map(([title, value]) => el("div", {}, el("dt", {}, title), el("dd", {}, value)))),
    el("h2", {}, "State block"), el("p", { class: "quiet" }, "What the agent gets after its context was compacted, and from ctx_resume."), el("pre", {}, found.state),
    el("h2", {}, "Journal, the newest first"), rows.length ? table("Journal", [["Row", "t"], ["kind", "t"], ["what", "wide"], ["when", "t"]], rows) : nothing("No row is kept of this conversation."),
  ] };
}

const short = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);

// A row of the journal; a long one opens.
function whole(row) {
  const text = row.detail ? `${row.text}\n${row.detail}` : row.text;
  if (text.length > LONG) return el("details", { "data-key": `row ${row.seq}`, class: "long" }, el("summary", {}, short(row.text, LONG / 2)), el("pre", {}, text));
  return [row.text, row.detail ? el("span", { class: "sub" }, row.detail) : null];
}

export async function health(read) {
  const found = await read("health", {});
  const bad = found.checks.filter((row) => row.status === "FAIL" || row.status === "WARN");
  const rows = found.checks.map((row) => [row.check, el("span", { class: `status ${row.status}` }, row.status), row.detail, row.fix === "-" ? "–" : code(row.fix)]);
  return { title: "Health", nodes: [
    heading(bad.length ? `${bad.length} ${bad.length === 1 ? "finding" : "findings"}` : "All is well here"),
    el("p", { class: "quiet" }, `${number(found.databases)} ${found.databases === 1 ? "database" : "databases"}, ${bytes(found.bytes)}, in ${found.folder}. These checks change nothing; `, code("context-mode doctor"), " also runs each agent's hooks and server."),
    table("Checks", [["Check", "t"], ["status", ""], ["detail", "wide"], ["what mends it", ""]], rows),
    el("h2", {}, "Last lines of the log of errors"), found.log.length ? el("pre", {}, found.log.join("\n")) : el("p", { class: "quiet" }, "Empty."),
  ] };
}
