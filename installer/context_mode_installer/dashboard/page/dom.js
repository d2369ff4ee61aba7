// Builds nodes from texts that nobody checked: every text becomes a text node, nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set(["svg", "g", "rect", "line", "text", "title"]);

// Control and direction characters as signs that can be seen; line ends and tabs stay.
export function plain(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 32) return String.fromCharCode(0x2400 + code);
    return code === 127 ? "\u2421" : `\u27e6U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e7`;
  });
}

export function el(tag, properties = {}, ...children) {
  const node = SHAPES.has(tag) && tag !== "title" || properties.svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "svg" || value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, run] of Object.entries(value)) node.addEventListener(event, run);
    else if (name === "style") Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? "" : plain(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
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
  place.replaceChildren(...nodes.flat().filter(Boolean));
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
const roughly = new Intl.NumberFormat("en", { notation: "compact", compactDisplay: "long", maximumSignificantDigits: 3 });
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

// columns: [title, class or ""], rows: lists of cells; the first cell of a row is its heading.
export function table(label, columns, rows, key = label) {
  const head = el("tr", {}, columns.map(([title, kind]) => el("th", { scope: "col", class: kind || null }, title)));
  const body = rows.map((cells) => {
    const parts = cells.map((cell, at) => el(at ? "td" : "th", { class: columns[at][1] || null, scope: at ? null : "row" }, cell));
    return el("tr", { class: cells.kind }, parts);
  });
  return el("div", { class: "scroll", role: "group", "aria-label": label, "data-key": `table ${key}` },
    el("table", { "aria-label": label }, el("thead", {}, head), el("tbody", {}, body)));
}
