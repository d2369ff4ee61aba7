// Search with the snippets that an agent would get, the sources, and one source read in order.

import { el, number, table, when } from "./dom.js";
import { at, code, heading, link, note, nothing, problem, sub, title } from "./parts.js";

export async function search(read, scope, { q = "" }) {
  const results = q ? answers(await read("search", { project: scope, query: q }), scope) : [];
  const found = await read("sources", { project: scope });
  const shown = found.sources.length;
  return {
    title: q ? `Search: ${q}` : "Search",
    nodes: [
      heading("Search"),
      note("The snippets are those that an agent gets from ctx_search, by the same code."),
      form(q),
      results,
      title(
        found.count > shown ? `Sources, the newest ${shown} of ${number(found.count)}` : `Sources (${number(shown)})`,
      ),
      shown
        ? sources(found.sources, scope)
        : nothing(["Nothing is stored here yet. Index files with ", code("context-mode index docs/"), "."]),
    ],
  };
}

function form(q) {
  const submit = (event) => {
    event.preventDefault();
    location.hash = `#/search?q=${encodeURIComponent(new FormData(event.target).get("q"))}`;
  };
  const input = el("input", {
    name: "q",
    type: "search",
    value: q,
    autocomplete: "off",
    spellcheck: "false",
    "data-key": "q",
  });
  return el(
    "form",
    { role: "search", on: { submit } },
    el("label", "Words or a question", input),
    el("button", { "data-key": "go" }, "Search"),
  );
}

// In every project those without a hit are left out.
function answers(found, scope) {
  const told = found.results.filter((one) => scope || (one.blocks || []).some(isHit));
  if (!told.length)
    return nothing(scope || !found.results.length ? "Nothing is stored here yet." : "No project holds a match.");
  return told.map((one) => {
    const waits = (one.waits || []).map((line) => `  (${line})`);
    return [
      title(scope ? "What an agent gets" : `What an agent gets in ${one.name}`),
      one.error && problem(one.error),
      el(
        "ul",
        { class: "hits" },
        [...waits, ...(one.blocks || [])].map((block) => el("li", shown(block))),
      ),
    ];
  });
}

const isHit = (block) => !block.startsWith("  ");

function shown(block) {
  if (!isHit(block)) return note(block.trim());
  const [first, ...rest] = block.split("\n");
  return el("pre", el("b", first), rest.join("\n"));
}

function sources(list, scope) {
  const rows = list.map((one) => [
    [
      link(at("source", one.project, one.sid), one.label),
      sub(one.sid, one.tool, !scope && one.name, one.live && "running"),
    ],
    number(one.bytes),
    number(one.chunks),
    when(one.made),
  ]);
  return table(
    "Sources",
    [
      ["Source", "wide"],
      ["bytes", "n"],
      ["parts", "n"],
      ["stored", "t"],
    ],
    rows,
  );
}

export async function source(read, scope, { path: [key, sid], from = "1" }) {
  const found = await read("source", { project: key, source: sid, offset: from });
  const here = at("source", key, sid);
  return {
    title: `Source ${sid}`,
    nodes: [
      heading(found.label),
      note(`${sid}, as an agent reads it in order by ctx_search.`),
      el("pre", found.text),
      el(
        "p",
        { class: "ways" },
        from !== "1" && link(here, "From the beginning"),
        found.next && link(`${here}?from=${found.next}`, "Read on"),
      ),
    ],
  };
}
