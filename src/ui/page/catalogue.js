/** The catalogue: searches as an agent does, and explains the rank of each result. */

import { read } from "./api.js";
import { announce, debounce, el, field, problem, table } from "./dom.js";

const stepWords = {
  "its own words": "words of the query in the tool's own text",
  "its program's words": "words of the query in its program's text and other tools",
  "its program is named": "the query names its program",
  "it only reads": "the query asks to be told something, and the tool changes nothing",
  "the whole query": "the query stands in its text as it is",
};

/** The last search, kept for a return to this view. */
const last = { query: "", cli: "", category: "" };

/** Shows the search. */
export async function showCatalogue(place, { about, signal }) {
  const query = el("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const cli = choice("Any program", about.clis);
  const category = choice("Any category", about.categories);
  const out = el("div");
  const inputs = { query, cli, category };
  for (const [name, input] of Object.entries(inputs)) input.value = last[name];
  let turn = 0;
  const search = async () => {
    const mine = ++turn;
    for (const [name, input] of Object.entries(inputs)) last[name] = input.value;
    try {
      const found = await read("/api/search", last);
      if (mine === turn && !signal.aborted) redraw(out, results(found, pick));
    } catch (error) {
      if (mine === turn) out.replaceChildren(problem(error));
    }
  };
  const pick = (name) => {
    cli.value = name;
    query.focus();
    search();
  };
  query.addEventListener("input", debounce(search));
  cli.addEventListener("change", search);
  category.addEventListener("change", search);
  place.append(
    el("h1", {}, "Tools"),
    el("p", { class: "quiet" }, `${about.tools} tools, searched as an agent does`),
    el(
      "form",
      { role: "search", class: "row", onsubmit: (event) => (event.preventDefault(), search()) },
      wide(field("query", "What an agent would ask for", query)),
      field("cli", "Program", cli),
      field("category", "Category", category),
    ),
    out,
  );
  await search();
}

/** Replaces the children of `out` with `nodes`; a link that has the focus keeps it. */
function redraw(out, nodes) {
  const { activeElement } = document;
  const held = out.contains(activeElement) ? activeElement.getAttribute("href") : null;
  out.replaceChildren(...nodes);
  if (held === null) return;
  const again = [...out.querySelectorAll("a")].find((link) => link.getAttribute("href") === held);
  again?.focus();
}

function wide(element) {
  element.classList.add("wide");
  return element;
}

function choice(any, values) {
  return el(
    "select",
    {},
    el("option", { value: "" }, any),
    values.map((value) => el("option", { value }, value)),
  );
}

function results({ answer, why, hint }, pick) {
  const json = JSON.stringify(answer);
  const seen = el(
    "details",
    {},
    el("summary", {}, `What an agent reads (${json.length.toLocaleString("en-US")} characters)`),
    el("pre", { tabindex: "0" }, JSON.stringify(answer, null, 2)),
  );
  if (answer.mode === "summary") {
    announce(`${answer.summary.length} programs`);
    return [summary(answer.summary, pick), seen];
  }
  announce(`${answer.results.length} results`);
  if (answer.results.length === 0) {
    return [el("p", {}, "No tool matches"), hint ? el("pre", {}, hint) : undefined, seen]
      .filter((each) => each !== undefined);
  }
  const items = answer.results.map((each, at) => result(each, at, why[each.tool_name]));
  return [el("ol", { class: "results", "aria-label": "Results, best first" }, items), seen];
}

function summary(clis, pick) {
  const rows = clis.map(({ name, tool_count, category, description }) => [
    { node: el("button", { type: "button", onclick: () => pick(name) }, name) },
    { text: String(tool_count), class: "number" },
    category ?? "",
    description,
  ]);
  return table("Without a query, an agent gets a summary of the programs", [
    "Program",
    "Tools",
    "Category",
    "Description",
  ], rows);
}

function result(entry, at, why) {
  const { tool_name: name, description, cli_name: cli, category, effect } = entry;
  return el(
    "li",
    {},
    el(
      "div",
      {},
      el("span", { class: "quiet" }, `${at + 1}. `),
      el("a", { class: "name", href: `#/tools/${encodeURIComponent(name)}` }, name),
      " ",
      [cli, category, effect ?? "effect not known"].filter(Boolean).flatMap((text) => {
        return [el("span", { class: "tag" }, text), " "];
      }),
    ),
    el("p", { class: "text" }, description),
    why ? reasons(name, why) : undefined,
  );
}

function reasons(name, { score, steps, words }) {
  const rows = Object.entries(steps).filter(([, added]) => added !== 0).map(([step, added]) => [
    stepWords[step] ?? step,
    { text: added.toFixed(2), class: "number" },
    bar(added, score),
  ]);
  const found = words.map(({ word, inTool, inOwner }) => {
    const where = [inTool > 0 ? "the tool" : "", inOwner > 0 ? "its program" : ""];
    return `“${word}” in ${where.filter(Boolean).join(" and ")}`;
  });
  return el(
    "details",
    {},
    el("summary", {}, `Why here: ${score.toFixed(2)}`),
    found.length > 0 ? el("p", {}, `Found, by stems: ${found.join(", ")}`) : undefined,
    table(`Score of ${name}`, ["Reason", "Adds", "Share"], rows),
  );
}

/** A cell with a bar, and the number as text for people who do not see the bar. */
export function bar(value, most) {
  const span = el("span", { "aria-hidden": "true" });
  span.style.width = `${most > 0 ? Math.min(100, Math.max(0, 100 * value / most)) : 0}%`;
  return { node: span, class: "bar" };
}
