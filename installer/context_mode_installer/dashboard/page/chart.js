// Pictures of numbers. Each has its numbers beside it as text or as a table.

import { bytes, el, number, table } from "./dom.js";

const WIDTH = 900;
const HEIGHT = 240;
const FLOOR = 214;
const LEFT = 62;
const LABEL = 72;
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
  const pieces = parts.filter((part) => part[2]);
  const bar = pieces.map(([kind, , size]) => el("span", { class: kind, style: { flex: `${size / whole} 1 0` } }));
  return [el("div", { class: "flow", "aria-hidden": "true" }, bar), legend(parts)];
}

function legend(parts) {
  const lines = parts.map(([kind, title, size]) => {
    const known = size !== undefined && [" ", el("strong", bytes(size))];
    return el("li", el("i", { class: kind, "aria-hidden": "true" }), title, known);
  });
  return el("ul", { class: "legend" }, lines);
}

// A heading, and columns by day: what was saved, and above it what came through; the same as a table below.
export function days(list) {
  const every = between(list);
  const filled = every.slice(-DAYS_MAX);
  const saved = bytes(filled.reduce((sum, day) => sum + day.saved, 0));
  const span = `${filled[0].day} to ${filled.at(-1).day}`;
  const label = `Bytes produced and saved by day, ${span}: ${saved} saved in all. The table below has the numbers.`;
  const place = el("div");
  const draw = () => place.replaceChildren(picture(filled, place.clientWidth || WIDTH, label));
  new ResizeObserver(draw).observe(place);
  return [
    el("h2", every.length > DAYS_MAX ? `By day, the last ${DAYS_MAX} days` : "By day"),
    legend([
      ["kept", "saved"],
      ["returned", "returned at once"],
    ]),
    place,
    el("details", { "data-key": "days" }, el("summary", "The days as a table"), dayTable(list)),
  ];
}

function dayTable(list) {
  const names = ["calls", "produced", "saved", "fetched", "own_cost", "net"];
  const rows = list.map((day) => [day.day, ...names.map((name) => number(day[name]))]).reverse();
  const titles = ["calls", "produced", "saved", "fetched back", "own cost", "net"].map((title) => [title, "n"]);
  return table("Days, of UTC, in bytes", [["Day", "t"], ...titles], rows);
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

function picture(list, width, label) {
  const top = nice(Math.max(...list.map((day) => day.produced), 1));
  const step = (width - LEFT) / list.length;
  const labelled = Math.ceil(list.length / Math.max(Math.floor((width - LEFT) / LABEL), 1));
  const shapes = list.map((day, at) => {
    const middle = LEFT + step * (at + 0.5);
    const named = (list.length - 1 - at) % labelled === 0;
    return [column(day, middle, Math.max(Math.min(step * 0.72, WIDEST), 1), top), named && dayName(day, middle, width)];
  });
  const size = { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}` };
  return el("svg", { ...size, role: "img", "aria-label": label }, grid(top, width), shapes);
}

const height = (size, top) => (size / top) * (FLOOR - 12);

function grid(top, width) {
  const steps = Array.from({ length: LINES + 1 }, (_, line) => (top / LINES) * line);
  return steps.map((size) => {
    const y = FLOOR - height(size, top);
    const name = el("text", { x: LEFT - 10, y: y + 4, "text-anchor": "end" }, bytes(Math.round(size)));
    return [el("line", { class: "grid", x1: LEFT, x2: width, y1: y, y2: y }), name];
  });
}

function column(day, middle, thick, top) {
  const saved = height(day.saved, top);
  const through = height(Math.max(day.produced - day.saved, 0), top);
  const piece = (kind, y, tall) =>
    el("rect", { class: kind, x: middle - thick / 2, y, width: thick, height: tall, rx: 2 });
  return el(
    "g",
    { class: "day" },
    el("title", `${day.day}: ${number(day.produced)} B produced, ${number(day.saved)} B saved`),
    piece("kept", FLOOR - saved, saved),
    piece("returned", FLOOR - saved - through, Math.max(through - 1, 0)),
  );
}

function dayName(day, middle, width) {
  const atEdge = middle > width - EDGE;
  const place = { x: atEdge ? width : middle, y: HEIGHT - 6, "text-anchor": atEdge ? "end" : "middle" };
  return el("text", place, shortDay.format(Date.parse(day.day)));
}

// The next number that divides well into the lines of the grid.
function nice(size) {
  const base = 10 ** Math.floor(Math.log10(size));
  return [1.2, 1.5, 3, 6, 9, 12].map((times) => times * base).find((found) => found >= size);
}

// A thin bar, a part of the place it stands in.
export function meter(part) {
  return el("span", { class: "meter", "aria-hidden": "true" }, el("span", { style: { width: `${100 * part}%` } }));
}
