// Builds nodes from texts that nobody checked: every text becomes a text node, nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set(["svg", "g", "rect", "line", "text", "title"]);

// Control and direction characters as signs that can be seen; line ends and tabs stay.
function plain(text) {
  return String(text).replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (sign) => {
      const code = sign.charCodeAt(0);
      if (code < 32) return String.fromCharCode(0x2400 + code);
      return code === 127 ? "\u2421" : `\u27e6U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e7`;
    },
  );
}

// el("p", { class: "quiet" }, "text", node, [more]); the properties may be left out.
export function el(tag, ...children) {
  const first = children[0];
  const given = first !== null && typeof first === "object" && !(first instanceof Node) && !Array.isArray(first);
  const { on = {}, style = {}, ...attributes } = given ? children.shift() : {};
  const node = SHAPES.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [event, run] of Object.entries(on)) node.addEventListener(event, run);
  Object.assign(node.style, style);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, plain(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(plain(child)));
  }
  return node;
}

// Puts new nodes in; what has the same data-key keeps its focus, its scroll place, and stays open.
export function replace(place, nodes) {
  const before = new Map();
  for (const node of place.querySelectorAll("[data-key]")) {
    before.set(node.dataset.key, { open: node.open, left: node.scrollLeft, focused: node === document.activeElement });
  }
  place.replaceChildren(...nodes.flat(Infinity).filter(Boolean));
  for (const node of place.querySelectorAll("[data-key]")) {
    const old = before.get(node.dataset.key);
    if (!old) continue;
    if (old.open) node.open = true;
    if (old.left) node.scrollLeft = old.left;
    if (old.focused) node.focus({ preventScroll: true });
  }
  reachable();
}

// A table that is wider than its place is scrolled, by keys too; any other is no stop on the way.
function reachable() {
  for (const node of document.querySelectorAll(".scroll")) {
    const scrolls = node.scrollWidth > node.clientWidth;
    scrolls ? node.setAttribute("tabindex", 0) : node.removeAttribute("tabindex");
    scrolls ? node.setAttribute("role", "region") : node.setAttribute("role", "group");
  }
}

addEventListener("resize", reachable);

const grouped = new Intl.NumberFormat("en");
const roughly = new Intl.NumberFormat("en", {
  notation: "compact",
  compactDisplay: "long",
  maximumSignificantDigits: 3,
});
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const number = (value) => grouped.format(value).replace("-", "\u2212");
export const rough = (value) => roughly.format(value);
export const percent = (scope) => (scope.produced ? `${scope.kept_out_percent.toFixed(1)} %` : "–");

// As the command line says sizes: 512 B, 1.4 MB.
export function bytes(value) {
  let left = Math.abs(value);
  let unit = "B";
  for (const larger of ["KB", "MB", "GB"]) {
    if (left < 1000) break;
    left /= 1000;
    unit = larger;
  }
  return `${value < 0 ? "\u2212" : ""}${unit === "B" ? left : left.toFixed(1)} ${unit}`;
}

export const when = (at) => el("time", { datetime: new Date(at).toISOString(), class: "t" }, moment.format(at));

// columns: [title, class]; rows: lists of cells, the first of which is the row's heading; kindOf: a row's class.
export function table(label, columns, rows, kindOf = () => null) {
  const head = columns.map(([title, kind]) => el("th", { scope: "col", class: kind }, title));
  const body = rows.map((cells) => {
    const [first, ...rest] = cells.map((cell, at) => [{ class: columns[at][1] }, cell]);
    const others = rest.map((cell) => el("td", ...cell));
    return el("tr", { class: kindOf(cells) }, el("th", { scope: "row", ...first[0] }, first[1]), others);
  });
  const whole = el("table", { "aria-label": label }, el("thead", el("tr", head)), el("tbody", body));
  return el("div", { class: "scroll", role: "group", "aria-label": label, "data-key": `table ${label}` }, whole);
}
