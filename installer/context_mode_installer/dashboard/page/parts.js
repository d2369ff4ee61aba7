// Small parts that several pages are made of.

import { el } from "./dom.js";

export const heading = (...text) => el("h1", { tabindex: -1 }, text);
export const title = (text) => el("h2", text);
export const note = (...text) => el("p", { class: "quiet" }, text);
export const code = (text) => el("code", text);
export const sub = (...texts) => el("span", { class: "sub" }, texts.filter(Boolean).join(", "));
export const link = (href, text) => el("a", { "data-key": href, href }, text);
export const short = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);

export const problem = (text) => el("p", { class: "problem" }, text);

// Says in lines that there is nothing, and what would bring something.
export function nothing(...lines) {
  const told = lines.map((line) => el("p", line));
  return el("div", { class: "empty" }, told);
}

// `#/source/KEY/s7`
export const at = (page, ...parts) => `#/${[page, ...parts].map(encodeURIComponent).join("/")}`;
