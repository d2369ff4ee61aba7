// The frame: which page is shown for which project, and what changes while agents work.

import { conversation, conversations } from "./conversations.js";
import { el, replace } from "./dom.js";
import { health } from "./health.js";
import { heading, problem } from "./parts.js";
import { savings } from "./savings.js";
import { search, source } from "./search.js";

// Each reads its data and returns a title and nodes.
const VIEWS = { savings, search, source, conversations, conversation, health };
// Under which link of the head a page stands that has none of its own.
const BELOW = { source: "search", conversation: "conversations" };

const EVERY_MS = 2000;
// Whose data is dear to read: that often at most.
const AT_MOST_MS = { health: 30000 };
const SPEAK_MS = 30000;
const main = document.getElementById("main");
const picker = document.getElementById("scope");
let scope = "";
let stamp = "";
let turn = 0;
let drawn = 0;
let spoken = 0;

class Problem extends Error {}
class Ended extends Error {}

async function read(name, parameters = {}) {
  const gone = () => {
    throw new Ended();
  };
  const answer = await fetch(`api/${name}?${new URLSearchParams(parameters)}`, { cache: "no-store" }).catch(gone);
  const data = await answer.json().catch(gone);
  if (!answer.ok) throw new Problem(data.error);
  return data;
}

// `#/source/KEY/s7?q=words` as its page, the parts behind it, and its query.
function route() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/").map(decoded);
  const known = Object.hasOwn(VIEWS, name) ? name : "savings";
  return { name: known, path: rest, ...Object.fromEntries(new URLSearchParams(query)) };
}

// An address that was cut in the middle is no reason to show nothing.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function show({ moved = false } = {}) {
  const mine = ++turn;
  const where = route();
  let view;
  try {
    view = await VIEWS[where.name](read, scope, where);
  } catch (error) {
    if (!(error instanceof Problem)) return lost(error);
    view = { title: "Not to be shown", nodes: [heading("Not to be shown"), problem(error.message)] };
  }
  if (mine !== turn) return;
  drawn = Date.now();
  replace(main, view.nodes);
  document.title = `${view.title} · context-mode`;
  for (const link of document.querySelectorAll("nav a")) {
    const current = link.hash === `#/${BELOW[where.name] || where.name}`;
    current ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  if (moved) {
    window.scrollTo(0, 0);
    (main.querySelector("h1") || main).focus({ preventScroll: true });
  }
}

function live(state, text) {
  const place = document.getElementById("live");
  place.dataset.state = state;
  document.getElementById("live-text").textContent = text;
}

const GONE = "The dashboard has ended; what is shown is no longer up to date. Start it again: context-mode dashboard";

function lost(error) {
  if (!(error instanceof Ended)) throw error;
  if (document.getElementById("live").dataset.state === "ended") return;
  live("ended", "ended");
  stamp = "";
  document.getElementById("said").textContent = GONE;
  main.prepend(problem(GONE));
}

// Somebody who types or marks a text is not disturbed.
function busy() {
  const typing = document.activeElement instanceof HTMLInputElement && main.contains(document.activeElement);
  const marking = getSelection();
  return typing || (marking && !marking.isCollapsed && main.contains(marking.anchorNode));
}

async function look() {
  if (document.visibilityState !== "visible") return;
  try {
    const found = await read("changes");
    live("live", "live");
    if (found.stamp === stamp || busy() || Date.now() - drawn < (AT_MOST_MS[route().name] ?? 0)) return;
    stamp = found.stamp;
    await choices();
    await show();
    news();
  } catch (error) {
    lost(error);
  }
}

function news() {
  const place = document.getElementById("live");
  place.classList.remove("news");
  requestAnimationFrame(() => place.classList.add("news"));
  if (Date.now() - spoken > SPEAK_MS) {
    spoken = Date.now();
    document.getElementById("said").textContent = `Updated at ${new Date().toLocaleTimeString()}.`;
  }
}

async function choices() {
  const found = await read("projects");
  document.getElementById("foot").textContent =
    `context-mode ${found.version}. Read only, on this machine. Ctrl-C in the terminal ends it.`;
  const options = [
    ["", "every project"],
    ...found.projects.map((one) => [one.key, one.here ? `${one.name} (here)` : one.name]),
  ];
  const same =
    options.length === picker.options.length &&
    options.every(([key, name], at) => picker.options[at].value === key && picker.options[at].text === name);
  if (!same) picker.replaceChildren(...options.map(([value, name]) => el("option", { value }, name)));
  picker.value = scope;
  return found;
}

async function start() {
  const found = await choices();
  const here = found.projects.find((one) => one.here);
  const kept = sessionStorage.getItem("scope");
  scope = kept !== null && [...picker.options].some((one) => one.value === kept) ? kept : here ? here.key : "";
  picker.value = scope;
  stamp = found.stamp;
  await show();
  live("live", "live");
}

picker.addEventListener("change", () => {
  scope = picker.value;
  sessionStorage.setItem("scope", scope);
  const above = BELOW[route().name];
  if (above) location.hash = `#/${above}`;
  else show();
});
// The address names the page that is shown, so a jump within it leaves it alone.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
window.addEventListener("hashchange", () => show({ moved: true }));
document.addEventListener("visibilitychange", look);
start().catch(lost);
setInterval(look, EVERY_MS);
