/** Chooses the view by the part of the address behind #, so that back and reload work. */

import { read, takeToken } from "./api.js";
import { el, problem } from "./dom.js";
import { showCatalogue } from "./catalogue.js";
import { showTool } from "./tool.js";
import { showCalls } from "./calls.js";
import { showPolicy } from "./policy.js";
import { showCosts } from "./costs.js";

const views = { tools: showCatalogue, calls: showCalls, policy: showPolicy, costs: showCosts };
const main = document.getElementById("main");
let leaving = new AbortController();
let isFirst = true;

async function show() {
  if (location.hash === "#/main") return;
  takeToken();
  const [, view = "tools", name] = location.hash.split("/");
  const render = view === "tools" && name ? showTool : views[view] ?? showCatalogue;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#/${view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const place = el("div");
  main.setAttribute("aria-busy", "true");
  try {
    const about = await read("/api/about");
    await render(place, { about, name: name && decodeURIComponent(name), signal });
  } catch (error) {
    place.replaceChildren(el("h1", {}, "Nothing to show"), problem(error));
  }
  if (signal.aborted) return;
  main.removeAttribute("aria-busy");
  main.replaceChildren(place);
  const title = place.querySelector("h1")?.textContent ?? "";
  document.title = `${title.slice(0, 100)} – climax`;
  // Screen readers announce the new view; at the first one they read the page itself
  if (!isFirst) main.focus();
  isFirst = false;
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", show);
show();
