/** The tokens that the catalogue costs an agent, as bars. */

import { read } from "./api.js";
import { el, table } from "./dom.js";
import { bar } from "./catalogue.js";

export async function showCosts(place) {
  const costs = await read("/api/costs");
  const rows = [
    ["The two meta-tools (tools/list, discovery)", costs.discovery_list],
    [`Every tool by its name (tools/list, classic, ${costs.tools} tools)`, costs.classic_list],
    ["The summary: a search without words", costs.summary],
    ["The answer to a search, median", costs.search_median],
    ["The answer to a search, largest", costs.search_largest],
  ];
  const most = Math.max(1, ...rows.map(([, count]) => count));
  place.append(
    el("h1", {}, "Costs"),
    table(
      "Tokens (o200k) that an agent reads",
      ["Text", "Tokens", "Compared"],
      rows.map(([what, count]) => [
        what,
        { text: count.toLocaleString("en-US"), class: "number" },
        bar(count, most),
      ]),
    ),
  );
  if (costs.pays_from !== undefined) {
    place.append(
      el(
        "p",
        {},
        `With tools of this size, search and call cost less than showing every tool from ${costs.pays_from} tools on`,
      ),
    );
  }
}
