/** Tables that become lists of labelled values where the window is narrow. */

import { el } from "./dom.js";

/** Creates a table; each row is a list of cells, a cell a text or `{ text, node, class }`. */
export function table(caption, heads, rows) {
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: "stack" },
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, heads.map(headOf))),
      el("tbody", {}, rows.map((cells) => tableRow(heads, cells))),
    ),
  );
}

/** A head is a text, or `{ text, class }`. */
function headOf(head) {
  const { text, class: kind } = typeof head === "object" ? head : { text: head };
  return el("th", { scope: "col", class: kind }, text);
}

/** Creates one row of a table with these heads. */
export function tableRow(heads, cells) {
  const cell = (value, at) => {
    const { text, node, class: kind } = typeof value === "object" ? value : { text: value };
    const content = node ?? text ?? "";
    if (at === 0) return el("th", { scope: "row", class: kind }, content);
    return el("td", { class: kind, "data-label": heads[at].text ?? heads[at] }, content);
  };
  return el("tr", {}, cells.map(cell));
}

/** Makes `rows` the rows of `body`. One that stays is not moved, so that it keeps focus and disclosure. */
export function updateRows(body, rows) {
  rows.forEach((row, at) => {
    if (body.children[at] !== row) body.insertBefore(row, body.children[at] ?? null);
  });
  while (body.children.length > rows.length) body.lastChild.remove();
}
