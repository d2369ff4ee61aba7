// Checks that change nothing, and what our log says.

import { bytes, el, number, table } from "./dom.js";
import { code, heading, note, title } from "./parts.js";

export async function health(read) {
  const found = await read("health");
  const bad = found.checks.filter((row) => row.status === "FAIL" || row.status === "WARN").length;
  const rows = found.checks.map((row) => [
    row.check,
    el("span", { class: `status ${row.status}` }, row.status),
    row.detail,
    row.fix === "-" ? "–" : code(row.fix),
  ]);
  const databases = `${number(found.databases)} ${found.databases === 1 ? "database" : "databases"}`;
  return {
    title: "Health",
    nodes: [
      heading(bad ? `${bad} ${bad === 1 ? "finding" : "findings"}` : "All is well here"),
      note(
        `${databases}, ${bytes(found.bytes)}, in ${found.folder}. These checks change nothing; `,
        code("context-mode doctor"),
        " also runs each agent's hooks and server.",
      ),
      table("Checks", [["Check", "t"], ["status"], ["detail", "wide"], ["what mends it"]], rows),
      title("Last lines of the log of errors"),
      found.log.length ? el("pre", found.log.join("\n")) : note("Empty."),
    ],
  };
}
