/** Shows the view that the part of the address behind # names, so that back and reload work. */

import { addressOf, read, takeToken, viewOf } from "./api.js";
import { showCalls } from "./calls.js";
import { showCatalogue } from "./catalogue.js";
import { showCosts } from "./costs.js";
import { el, emptyState, fileName, plural, problem } from "./dom.js";
import { showPolicy } from "./policy.js";
import { showTool } from "./tool.js";
import { followWaiting, setTitle } from "./waiting.js";

const views = { tools: showCatalogue, calls: showCalls, policy: showPolicy, costs: showCosts };
const main = document.getElementById("main");
/** The scroll position that each view had when it was left. */
const positions = new Map();
let shown = "";
let leaving = new AbortController();
let isFirst = true;
let wantsSearch = false;

async function show() {
  takeToken();
  const { view, name, query } = viewOf(location.hash);
  const render = view === "tools" && name
    ? showTool
    : Object.hasOwn(views, view)
    ? views[view]
    : showUnknown;
  positions.set(shown, scrollY);
  shown = location.hash;
  // An entry of the browser's history has a state if its view was shown before; then its position is restored
  const top = history.state === null ? 0 : positions.get(shown) ?? 0;
  history.replaceState({ ...history.state, seen: true }, "");
  for (const link of document.querySelectorAll("nav a")) {
    if (viewOf(link.hash).view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const place = el("div", { class: `view ${view}` });
  main.setAttribute("aria-busy", "true");
  try {
    const about = await read("/api/about");
    showServed(about);
    await render(place, { about, name, query, signal });
  } catch (error) {
    const again = el("button", { type: "button", onclick: show }, "Try again");
    place.replaceChildren(el("h1", {}, "Nothing to show"), problem(error), again);
  }
  if (signal.aborted) return;
  main.removeAttribute("aria-busy");
  main.replaceChildren(place);
  const title = place.querySelector("h1")?.textContent ?? "";
  setTitle(`${title.slice(0, 100)} – climax`);
  scrollTo(0, top);
  focusView(view);
  isFirst = false;
}

/** Shows that no view has this address, which may be mistyped. */
function showUnknown(place) {
  place.append(
    el("h1", {}, "Not a view"),
    emptyState(
      `Nothing is at ${location.hash.slice(0, 100)}`,
      el("p", {}, el("a", { href: addressOf("tools") }, "See all tools")),
    ),
  );
}

/** Moves the focus: to a tool's first field, to the search field of the first view, or else to the heading. */
function focusView(view) {
  const search = main.querySelector("input[type=search]");
  // With a touch screen, a focused field opens a keyboard that hides half of the page
  const isFine = matchMedia("(pointer: fine)").matches;
  const types = wantsSearch || isFirst && view === "tools" && isFine;
  wantsSearch = false;
  const first = isFine ? main.querySelector(".fields :is(input, select, textarea)") : null;
  if (types && search !== null) search.focus({ preventScroll: true });
  else if (first !== null) first.focus({ preventScroll: true });
  else if (!isFirst) focusHeading();
}

function focusHeading() {
  const heading = main.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

/** Makes the key `/` focus the search field of a view, or open the search if there is none. */
function onKey(event) {
  const { key, target, ctrlKey, altKey, metaKey } = event;
  if (key !== "/" || ctrlKey || altKey || metaKey) return;
  if (target.closest("dialog, select, textarea, input:not([type=checkbox])") !== null) return;
  event.preventDefault();
  const search = main.querySelector("input[type=search]");
  if (search === null) {
    wantsSearch = true;
    location.hash = addressOf("tools");
  } else {
    search.focus();
    search.select();
  }
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  focusHeading();
});
addEventListener("hashchange", show);
addEventListener("keydown", onKey);
show();
followWaiting(document.getElementById("waiting"));

/** At most this many names of configs and servers are listed; otherwise programs are counted. */
const mostNames = 4;

/** Shows in the header which configs, servers and policy this server uses. */
function showServed({ version, tools, programs, configs, servers, policy }) {
  const sources = [...configs, ...servers];
  const names = sources.length <= mostNames
    ? sources.map(fileName).join(", ")
    : plural(programs.length, "program");
  const line = document.getElementById("served-line");
  const rule = policy === null ? "no policy" : `policy: ${fileName(policy)}`;
  line.title = `climax ${version}`;
  line.replaceChildren(
    el("span", {}, `${plural(tools, "tool")} of ${names}`),
    el("a", { class: "tag", href: addressOf("policy") }, rule),
  );
}
