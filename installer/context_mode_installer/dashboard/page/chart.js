// Pictures of numbers. Each has its numbers beside it as text or as a table.

import { bytes, el, number, plain, table } from "./dom.js";

const HEIGHT = 240;
const LEFT = 62;
const BOTTOM = 26;
const DAY = 86400000;
const DAYS_MIN = 14;
const DAYS_MAX = 90;
const WIDEST = 34;
const LINES = 3;
const EDGE = 24;
const shortDay = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

// What became of what was produced, as parts of one bar with a legend.
export function flow(scope) {
  const parts = [
    ["kept", "kept out, net", Math.max(scope.net, 0)],
    ["returned", "returned at once", Math.max(scope.produced - scope.saved, 0)],
    ["fetched", "fetched back later", scope.fetched],
    ["cost", "our own cost", scope.own_cost],
  ];
  const whole = parts.reduce((sum, part) => sum + part[2], 0);
  if (!whole) return null;
  const shown = parts.filter((part) => part[2]);
  return el("div", {},
    el("div", { class: "flow", "aria-hidden": "true" }, shown.map(([kind, , size]) => el("span", { class: kind, style: { flex: `${size / whole} 1 0` } }))),
    el("ul", { class: "legend" }, parts.map(([kind, title, size]) => el("li", {}, el("i", { class: kind, "aria-hidden": "true" }), `${title} `, el("strong", {}, bytes(size))))));
}

// A heading, and columns by day: what was saved, and above it what came through; the same as a table below.
export function days(list) {
  const every = between(list);
  const filled = every.slice(-DAYS_MAX);
  const saved = filled.reduce((sum, day) => sum + day.saved, 0);
  const label = `Bytes produced and saved by day, ${filled[0].day} to ${filled.at(-1).day}: ${bytes(saved)} saved in all. The table below has the numbers.`;
  const place = el("div", {});
  const draw = () => place.replaceChildren(columns(filled, place.clientWidth || 900, label));
  new ResizeObserver(draw).observe(place);
  const rows = [...list].reverse().map((day) => [day.day, number(day.calls), number(day.produced), number(day.saved), number(day.fetched), number(day.own_cost), number(day.net)]);
  return [
    el("h2", {}, every.length > DAYS_MAX ? `By day, the last ${DAYS_MAX} days` : "By day"),
    el("ul", { class: "legend" },
      el("li", {}, el("i", { class: "kept", "aria-hidden": "true" }), "saved"),
      el("li", {}, el("i", { class: "returned", "aria-hidden": "true" }), "returned at once")),
    place,
    el("details", { "data-key": "days" }, el("summary", {}, "The days as a table"),
      table("Days, of UTC, in bytes", [["Day", "t"], ...["calls", "produced", "saved", "fetched back", "own cost", "net"].map((title) => [title, "n"])], rows)),
  ];
}

// Every day from the first to the last one, two weeks at least; days without a call as nothing.
function between(list) {
  const known = new Map(list.map((day) => [day.day, day]));
  const out = [];
  const last = Date.parse(list.at(-1).day);
  for (let at = Math.min(Date.parse(list[0].day), last - (DAYS_MIN - 1) * DAY); at <= last; at += DAY) {
    const day = new Date(at).toISOString().slice(0, 10);
    out.push(known.get(day) || { day, produced: 0, saved: 0 });
  }
  return out;
}

function columns(list, width, label) {
  const top = nice(Math.max(...list.map((day) => day.produced), 1));
  const floor = HEIGHT - BOTTOM;
  const step = (width - LEFT) / list.length;
  const thick = Math.max(Math.min(step * 0.72, WIDEST), 1);
  const y = (size) => floor - (size / top) * (floor - 12);
  const shapes = [];
  for (let line = 0; line <= LINES; line += 1) {
    const size = (top / LINES) * line;
    shapes.push(el("line", { class: "grid", x1: LEFT, x2: width, y1: y(size), y2: y(size) }));
    shapes.push(el("text", { x: LEFT - 10, y: y(size) + 4, "text-anchor": "end" }, bytes(Math.round(size))));
  }
  const every = Math.ceil(list.length / Math.max(Math.floor((width - LEFT) / 72), 1));
  list.forEach((day, at) => {
    const x = LEFT + step * at + (step - thick) / 2;
    const through = Math.max(day.produced - day.saved, 0);
    shapes.push(el("g", { class: "day" },
      el("title", { svg: true }, `${day.day}: ${number(day.produced)} B produced, ${number(day.saved)} B saved`),
      rect("kept", x, y(day.saved), thick, floor - y(day.saved)),
      rect("returned", x, y(day.saved + through), thick, Math.max(y(day.saved) - y(day.saved + through) - 1, 0))));
    if ((list.length - 1 - at) % every === 0) {
      const atEdge = x + thick / 2 > width - EDGE;
      shapes.push(el("text", { x: atEdge ? width : x + thick / 2, y: HEIGHT - 6, "text-anchor": atEdge ? "end" : "middle" }, shortDay.format(Date.parse(day.day))));
    }
  });
  return el("svg", { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": plain(label) }, shapes);
}

const rect = (kind, x, y, width, height) => el("rect", { class: kind, x, y, width, height: Math.max(height, 0), rx: 2 });

// The next number that divides well into the lines of the grid.
function nice(size) {
  const base = 10 ** Math.floor(Math.log10(size));
  return [1.2, 1.5, 3, 6, 9, 12].map((times) => times * base).find((found) => found >= size);
}

export function meter(part) {
  return el("span", { class: "meter", "aria-hidden": "true" }, el("span", { style: { width: `${100 * part}%` } }));
}
