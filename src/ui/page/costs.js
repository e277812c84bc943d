/** Shows as bars how many tokens the catalogue costs an agent. */

import { read } from "./api.js";
import { bar, count, el, table } from "./dom.js";

export async function showCosts(place) {
  const costs = await read("/api/costs");
  place.append(
    el("h1", {}, "Tokens"),
    el("p", { class: "quiet" }, "About how many tokens an agent reads"),
    headline(costs),
    el("h2", {}, "When the agent connects"),
    bars("The answer to tools/list", [
      [`Every tool by its name (classic mode, ${count(costs.tools)} tools)`, costs.classic_list],
      ["The two meta-tools (discovery mode)", costs.discovery_list, "good"],
    ]),
    el("h2", {}, "When the agent searches"),
    bars("The answers of climax_search (discovery mode)", [
      ["The summary: a search without words", costs.summary],
      ["Ten results, median", costs.search_median],
      ["Ten results, largest", costs.search_largest],
      ["The summary, compact", costs.summary_compact, "good"],
      ["Ten results, compact, median", costs.search_median_compact, "good"],
      ["Ten results, compact, largest", costs.search_largest_compact, "good"],
    ]),
    el(
      "p",
      { class: "quiet" },
      "The compact format is chosen with ",
      el("code", {}, "--results compact"),
    ),
  );
}

function headline({ tools, discovery_list: two, classic_list: all, pays_from: from }) {
  const times = two > 0 ? all / two : 0;
  const first = times > 1
    ? [el("b", {}, `${times < 10 ? times.toFixed(1) : count(Math.round(times))} times`), " fewer"]
    : [el("b", {}, "No"), " fewer"];
  return el(
    "ul",
    { class: "figures" },
    el("li", {}, ...first, " tokens when the agent connects"),
    from === undefined ? undefined : el(
      "li",
      {},
      "From ",
      el("b", {}, count(from)),
      ` tools of this size on, search costs less; there are ${count(tools)}`,
    ),
  );
}

function bars(caption, rows) {
  const most = Math.max(1, ...rows.map(([, number]) => number));
  return table(
    caption,
    ["Text", { text: "Tokens", class: "number" }, "Compared"],
    rows.map(([text, number, kind]) => [
      text,
      { text: count(number), class: "number" },
      bar(number, most, kind),
    ]),
  );
}
