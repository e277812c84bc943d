/** One result of a search, and why it has its rank. */

import { addressOf } from "./address.js";
import { el } from "./dom.js";
import { bar, effectTag } from "./format.js";
import { table } from "./table.js";

const stepWords = {
  "its own words": "Words of the query in the tool's own text",
  "its program's words": "Words of the query in its program's text and other tools",
  "its program is named": "The query names its program",
  "it only reads": "The query asks for information, and the tool only reads",
  "the whole query": "The whole query is in its text",
};

/** Creates the item of a result; the first one's reasons are open. */
export function result(entry, { at, why, best }) {
  const { tool_name: name, description, cli_name: cli, category, effect } = entry;
  return el(
    "li",
    {},
    el(
      "div",
      { class: "line" },
      el("span", { class: "rank" }, `${at + 1}`),
      el("a", { class: "name", href: addressOf("tools", { name }) }, name),
      effectTag(effect),
      el("span", { class: "quiet" }, [cli, category].filter(Boolean).join(" · ")),
    ),
    el("p", { class: "text" }, description),
    why ? reasons(why, { best, open: at === 0 }) : undefined,
  );
}

function reasons({ score, steps, words }, { best, open }) {
  const rows = Object.entries(steps).filter(([, added]) => added !== 0).map(([step, added]) => [
    stepWords[step] ?? step,
    { text: added.toFixed(2), class: "number" },
    bar(added, best),
  ]);
  const found = words.map(({ word, inTool, inOwner }) => {
    const where = [inTool > 0 ? "the tool" : "", inOwner > 0 ? "its program" : ""];
    return `“${word}” in ${where.filter(Boolean).join(" and ")}`;
  });
  const percent = Math.round(100 * score / best);
  return el(
    "details",
    { open },
    el("summary", {}, `Why here: ${percent} % of the best score`),
    found.length > 0 ? el("p", {}, `Found, by stems: ${found.join(", ")}`) : undefined,
    table(`A score of ${score.toFixed(2)}, the sum of`, [
      "Reason",
      { text: "Points", class: "number" },
      "Of the best score",
    ], rows),
  );
}
