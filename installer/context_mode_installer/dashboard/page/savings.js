// What was kept out: in one number, by day, side by side, by tool, and the largest outputs.

import { days, flow, meter } from "./chart.js";
import { bytes, el, number, percent, rough, table, when } from "./dom.js";
import { at, code, heading, link, note, nothing, problem, sub, title } from "./parts.js";

const ACCOUNT = [
  ["Produced", (one) => number(one.produced)],
  ["Saved", (one) => number(one.saved)],
  ["Fetched back", (one) => number(one.fetched)],
  ["Own cost", (one) => number(one.own_cost)],
  ["Net", (one) => number(one.net)],
  ["Kept out (net)", percent],
  ["Calls", (one) => number(one.calls)],
  ["Conversations", (one) => number(one.conversations)],
  ["Indexed, not saved", (one) => number(one.indexed)],
  ["Net, estimated in tokens", (one) => number(one.net_tokens_estimated)],
];
const method = (tokenBytes) => `Measured in bytes at each call. Saved: produced less returned, counted once, only where less came back.
  Own cost: our tool list, instructions and start text in each conversation, and the words of our replies.
  Net: saved less fetched back less own cost. Tokens are estimated at ${tokenBytes} bytes each.`;

export async function savings(read, scope) {
  const data = await read("stats", { project: scope });
  const problems = data.unreadable.map((one) => problem(`Not in these numbers: ${one.path}: ${one.reason}`));
  const { calls, conversations } = data.scopes.all;
  return { title: "Savings", nodes: [problems, calls || conversations ? report(data, scope) : start()] };
}

function start() {
  return [
    heading("Nothing was counted yet"),
    nothing("Once an agent works with context-mode, this page shows what was kept out of its context, live.", [
      "Set up an agent: ",
      code("context-mode setup"),
      ". See it work without one: ",
      code("context-mode demo"),
      ".",
    ]),
  ];
}

function report(data, scope) {
  const main = data.scopes[scope ? "project" : "all"];
  return [
    hero(main),
    flow(main),
    main.days.length && days(main.days),
    account(data, scope),
    main.tools.length && [title("By tool"), tools(main)],
    data.largest.length && [title("Largest outputs stored"), largest(data, scope)],
    el("p", { class: "method" }, method(data.token_bytes)),
    costs(data),
  ];
}

function hero(main) {
  const through = bytes(Math.max(main.produced - main.saved, 0));
  const tokens = rough(Math.max(main.net_tokens_estimated, 0));
  const said = `kept out of the context: of ${bytes(main.produced)} that tools produced, ${through} came through at once.
    That is about ${tokens} tokens, estimated.`;
  return el(
    "div",
    { class: "hero" },
    heading(percent(main), el("span", { class: "hidden" }, " kept out of the context")),
    el("p", said),
  );
}

// Conversation, project and all side by side.
function account(data, scope) {
  const newest = scope && data.conversation;
  const shown = [
    newest && ["conversation", "Newest conversation"],
    scope && ["project", "This project"],
    ["all", `All projects (${data.projects})`],
  ].filter(Boolean);
  const rows = ACCOUNT.map(([name, value]) => [name, ...shown.map(([key]) => value(data.scopes[key]))]);
  const columns = [["Measured, in bytes"], ...shown.map(([, name]) => [name, "n"])];
  return [
    title("The account"),
    newest &&
      note(
        "Newest conversation: ",
        link(at("conversation", scope, newest.id), newest.id),
        ", last used ",
        when(newest.last),
      ),
    table("The account", columns, rows, (row) => (row[0] === "Net" ? "sum" : null)),
  ];
}

function tools(main) {
  const most = Math.max(...main.tools.map((tool) => tool.saved), 1);
  const rows = main.tools.map((tool) => {
    const brings = !tool.produced && !tool.saved;
    const numbers = brings ? ["–", "–"] : [number(tool.produced), number(tool.saved)];
    return [[tool.tool, !brings && meter(Math.max(tool.saved, 0) / most)], number(tool.calls), ...numbers];
  });
  return table(
    "By tool, in bytes",
    [
      ["Tool", "wide"],
      ["calls", "n"],
      ["produced", "n"],
      ["saved", "n"],
    ],
    rows,
  );
}

function largest(data, scope) {
  const rows = data.largest.map((one) => [
    [link(at("source", one.key, one.source), one.label), sub(one.tool, !scope && one.project)],
    number(one.bytes),
    number(one.chunks),
    when(one.made),
  ]);
  return table(
    "Largest outputs stored",
    [
      ["Output", "wide"],
      ["bytes", "n"],
      ["parts", "n"],
      ["stored", "t"],
    ],
    rows,
  );
}

function costs(data) {
  const lines = data.fixed_cost.map(({ agent, parts }) => {
    const sizes = parts.map((part) => `${part.name} ${number(part.bytes)} B`);
    return `${agent || "any other agent"}: ${sizes.join(", ")}`;
  });
  return lines.length > 0 && el("p", { class: "method" }, `Own cost of each conversation. ${lines.join("; ")}.`);
}
