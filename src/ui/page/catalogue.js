/** Shows the catalogue: it searches as an agent does, and without a query lists the programs. */

import { addressOf, read } from "./api.js";
import {
  absentTag,
  announce,
  choice,
  connectHint,
  count,
  debounce,
  disclosure,
  effectTag,
  el,
  emptyState,
  field,
  plural,
  pre,
  problem,
  searchField,
  searchForm,
  searchInput,
  shares,
  table,
} from "./dom.js";

/** The numbers of results that an agent gets, and that the page shows after `More results`. */
const [usualResults, mostResults] = [10, 50];

/** The address of the last search, to which the view of a tool has a link back. */
export let lastSearch = addressOf("tools");

export async function showCatalogue(place, { about, query: asked, signal }) {
  const inputs = {
    query: searchInput("query", { value: asked.query, example: "undo a commit" }),
    cli: choice(options("Any program", about.programs.map(({ name }) => name)), asked.cli),
    category: choice(options("Any category", about.categories), asked.category),
  };
  const out = el("div", { class: "found" });
  let turn = 0;
  const clear = () => {
    for (const input of Object.values(inputs)) input.value = "";
    inputs.query.focus();
    search();
  };
  const search = async ({ limit = "" } = {}) => {
    const mine = ++turn;
    const query = Object.fromEntries(
      Object.entries(inputs).map(([name, input]) => [name, input.value]),
    );
    lastSearch = addressOf("tools", { query });
    // Until this view is shown, the page has the address by which it was opened, which must not be replaced
    if (place.isConnected) history.replaceState(history.state, "", lastSearch);
    try {
      const found = await read("/api/search", { ...query, limit });
      const more = limit === "" ? () => search({ limit: mostResults }) : undefined;
      if (mine === turn && !signal.aborted) redraw(out, results(found, { ...about, more, clear }));
    } catch (error) {
      if (mine === turn) out.replaceChildren(problem(error));
    }
  };
  inputs.query.addEventListener("input", debounce(() => search()));
  inputs.cli.addEventListener("change", () => search());
  inputs.category.addEventListener("change", () => search());
  place.addEventListener("keydown", (event) => onArrow(event, [inputs.query, out]));
  place.append(
    el("h1", {}, "Tools"),
    el(
      "p",
      { class: "quiet" },
      "The tools that an agent can find and call; you can try each one here",
    ),
    searchForm(
      search,
      searchField("query", "Search as an agent does", inputs.query),
      field("cli", "Program", inputs.cli),
      field("category", "Category", inputs.category),
    ),
    out,
  );
  await search();
}

function options(any, names) {
  return [["", any], ...names.map((name) => [name, name])];
}

/** Moves the focus by the arrow keys from the search field to its results, and among these. */
function onArrow(event, [query, out]) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops = [query, ...out.querySelectorAll("a")];
  const at = stops.indexOf(event.target);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus();
}

/** Replaces the children of `out` by `nodes`, and keeps the focus on a link that is in both. */
function redraw(out, nodes) {
  const { activeElement } = document;
  const held = out.contains(activeElement) ? activeElement.getAttribute("href") : null;
  out.replaceChildren(...nodes);
  if (held === null) return;
  const again = [...out.querySelectorAll("a")].find((link) => link.getAttribute("href") === held);
  again?.focus();
}

function results({ answer, listed, why, hint }, { more, clear, ...about }) {
  const { programs } = about;
  const seen = disclosure(
    `What an agent reads (${plural(JSON.stringify(answer).length, "character")})`,
    () => pre(JSON.stringify(answer, null, 2)),
  );
  if (answer.mode === "summary") {
    announce(plural(programs.length, "program"));
    const list = programs.length === 0
      ? emptyState(
        "No tool is served",
        el("p", {}, "The policy leaves none, or no config was named"),
      )
      : programTable(programs, answer.summary.length);
    return [list, seen, connectHint(about)];
  }
  if (listed !== undefined && listed.length > 0) return [toolTable(listed), seen];
  announce(plural(answer.results.length, "result"));
  const notes = hint ? [pre(hint, { class: "hint" })] : [];
  if (answer.results.length === 0) {
    const button = el("button", { type: "button", onclick: clear }, "Clear the search");
    return [emptyState("No tool matches", ...notes, button), seen];
  }
  const absent = new Set(programs.filter((each) => each.is_absent).map(({ name }) => name));
  const scores = Object.values(why).map(({ score }) => score);
  const items = answer.results.map((entry, at) =>
    result(entry, { at, why: why[entry.tool_name], best: Math.max(...scores), absent })
  );
  const list = el("ol", { class: "results", "aria-label": "Results, best first" }, items);
  // After `More results`, the list is longer than what an agent gets, so the agent's answer is not shown below
  if (more === undefined) return [...notes, list];
  const button = el("button", { type: "button", onclick: more }, "More results");
  return [...notes, list, ...(items.length === usualResults ? [button] : []), seen];
}

function toolTable(tools) {
  announce(plural(tools.length, "tool"));
  const rows = tools.map(({ tool_name: name, description, cli_name: cli, effect }) => [
    { node: el("a", { href: addressOf("tools", { name }) }, name) },
    { node: effectTag(effect), class: "short plain" },
    { text: cli, class: "short" },
    { text: description, class: "plain" },
  ]);
  return table(plural(tools.length, "tool"), ["Tool", "Effect", "Program", "Description"], rows);
}

function programTable(programs, shown) {
  const inOrder = programs.toSorted((a, b) => a.is_absent - b.is_absent);
  const rows = inOrder.map(({ name, tool_count, category, description, effects, is_absent }) => [
    { node: programName(name, is_absent) },
    { text: count(tool_count), class: "number short" },
    { text: category ?? "", class: "short" },
    { node: effectShares(effects), class: "effects plain" },
    { text: description, class: "plain" },
  ]);
  const agent = shown < programs.length ? `the first ${count(shown)}` : "this list";
  const caption = el(
    "span",
    {},
    `${plural(programs.length, "program")}; without a query, an agent gets ${agent}. Tools that `,
    ...["read", "write", "destructive"].flatMap((kind) => [
      el("span", { class: `key ${kind}` }, kind === "destructive" ? "are destructive" : kind),
      " ",
    ]),
  );
  const heads = ["Program", { text: "Tools", class: "number" }, "Category", "Effects"];
  return table(caption, [...heads, "Description"], rows);
}

function programName(name, isAbsent) {
  const link = el("a", { href: addressOf("tools", { query: { cli: name } }) }, name);
  return el("span", {}, link, isAbsent ? [" ", absentTag()] : []);
}

/** Draws a bar of a program's tools by their effects, with the same numbers as text for screen readers. */
function effectShares(effects) {
  const parts = ["read", "write", "destructive", "unknown"].map((kind) => {
    return { kind, name: kind, number: effects[kind] ?? 0 };
  });
  const words = parts.filter(({ number }) => number > 0)
    .map(({ name, number }) => `${count(number)} ${name}`).join(", ");
  return el("span", { title: words }, shares(parts), el("span", { class: "unseen" }, words));
}

/** Creates the list item of a result. Of the first result, the reasons for its rank are open. */
function result(entry, { at, why, best, absent }) {
  const { tool_name: name, description, cli_name: cli, category, effect } = entry;
  return el(
    "li",
    {},
    el(
      "div",
      { class: "line" },
      el("a", { class: "name", href: addressOf("tools", { name }) }, name),
      effectTag(effect),
      absent.has(cli) ? absentTag() : undefined,
      el("span", { class: "quiet" }, [cli, category].filter(Boolean).join(" · ")),
    ),
    el("p", { class: "text" }, description),
    why ? reasons(why, { best, open: at === 0 }) : undefined,
  );
}

function reasons({ score, words }, { best, open }) {
  const found = words.map(({ word, inTool, inOwner }) => {
    const where = [inTool > 0 ? "the tool" : "", inOwner > 0 ? "its program" : ""];
    return `“${word}” in ${where.filter(Boolean).join(" and ")}`;
  });
  const percent = Math.round(100 * score / best);
  return el(
    "details",
    { open },
    el("summary", {}, `Why here: ${percent} % of the best score`),
    el("p", {}, found.length > 0 ? `Found, by stems: ${found.join(", ")}` : "Found by meaning"),
  );
}
