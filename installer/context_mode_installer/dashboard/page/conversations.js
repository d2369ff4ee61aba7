// The conversations, and of one its numbers, its state block and its journal.

import { el, number, percent, table, when } from "./dom.js";
import { at, heading, link, note, nothing, short, sub, title } from "./parts.js";

const LONG = 400;
const ASKED = 120;

export async function conversations(read, scope) {
  const found = await read("conversations", { project: scope });
  const shown = found.conversations.length;
  return {
    title: "Conversations",
    nodes: [
      heading("Conversations"),
      found.count > shown && note(`The ${shown} used last, of ${number(found.count)}.`),
      shown ? list(found.conversations, scope) : nothing("No conversation is stored here yet."),
    ],
  };
}

function list(found, scope) {
  const rows = found.map((one) => {
    const way = link(at("conversation", one.project, one.id), short(one.asked, ASKED) || one.id);
    return [
      [way, sub(one.asked && one.id, !scope && one.name)],
      number(one.calls),
      number(one.rows),
      number(one.net),
      when(one.last),
    ];
  });
  const columns = [
    ["Asked last", "wide"],
    ["calls", "n"],
    ["journal rows", "n"],
    ["net bytes kept out", "n"],
    ["last used", "t"],
  ];
  return table("Conversations", columns, rows);
}

export async function conversation(read, scope, { path: [key, id] }) {
  const found = await read("conversation", { project: key, name: id });
  const { stats } = found;
  const rows = found.journal.map((row) => [`#${row.seq}`, row.kind, whole(row), when(row.at)]);
  return {
    title: `Conversation ${id}`,
    nodes: [
      heading(id),
      facts([
        ["Kept out", percent(stats)],
        ["Net", `${number(stats.net)} B`],
        ["Produced", `${number(stats.produced)} B`],
        ["Saved", `${number(stats.saved)} B`],
        ["Fetched back", `${number(stats.fetched)} B`],
        ["Calls", number(stats.calls)],
      ]),
      title("State block"),
      note("What the agent gets after its context was compacted, and from ctx_resume."),
      el("pre", found.state),
      title("Journal, the newest first"),
      rows.length
        ? table(
            "Journal",
            [
              ["Row", "t"],
              ["kind", "t"],
              ["what", "wide"],
              ["when", "t"],
            ],
            rows,
          )
        : nothing("No row is kept of this conversation."),
    ],
  };
}

function facts(list) {
  const parts = list.map(([name, value]) => el("div", el("dt", name), el("dd", value)));
  return el("dl", { class: "facts" }, parts);
}

// A row of the journal; a long one opens.
function whole(row) {
  const text = row.detail ? `${row.text}\n${row.detail}` : row.text;
  if (text.length <= LONG) return [row.text, row.detail && el("span", { class: "sub" }, row.detail)];
  const first = el("summary", short(row.text, LONG / 2));
  return el("details", { "data-key": `row ${row.seq}`, class: "long" }, first, el("pre", text));
}
