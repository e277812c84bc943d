/** Draws the calls by day and by tool, their outcomes and tokens. Beside each picture is a table of its numbers. */

import { bar, count, disclosure, el, table } from "./dom.js";

/** The outcomes of calls in the order of the pictures, each with the class of its colour and a text. */
export const outcomes = {
  done: ["done", "done"],
  waiting: ["asks", "waiting for a yes"],
  running: ["asks", "running"],
  failed: ["failed", "failed"],
  stopped: ["stopped", "stopped"],
  refused: ["denied", "refused"],
};

/** A graph shows at most this many days. */
const mostDays = 30;

const [width, height] = [720, 120];

function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

export function activity({ days, tools }) {
  const shown = withGaps(days.filter(({ name }) => name !== "unknown")).slice(-mostDays);
  const parts = Object.entries(outcomes).map(([name, [kind]]) => [kind, (day) => day[name] ?? 0]);
  const heads = ["Day", "Calls", "Done", "Failed", "Refused", "Tokens"].map(numeric);
  const rows = shown.filter(({ calls }) => calls > 0).toReversed().map((day) => [
    day.name,
    ...[day.calls, day.done, day.failed, day.refused, day.tokens].map(number),
  ]);
  return el(
    "div",
    { class: "activity" },
    graph("Calls by day", shown, parts),
    shown.some(({ tokens }) => tokens > 0)
      ? graph("Tokens of answers by day", shown, [["done", ({ tokens }) => tokens]])
      : undefined,
    disclosure("By day, as a table", () => table("", heads, rows)),
    disclosure("By tool", () => toolTable(tools)),
  );
}

function toolTable(tools) {
  const [calls, tokens] = ["calls", "tokens"].map((key) => Math.max(...tools.map((it) => it[key])));
  const heads = ["Tool", "Calls", "Failed", "Refused", "Tokens"].map(numeric);
  return table(
    "Those with the most calls",
    heads.toSpliced(2, 0, "Compared").concat("Compared"),
    tools.map((tool) => [
      tool.name || "–",
      number(tool.calls),
      bar(tool.calls, calls),
      ...[tool.failed, tool.refused, tool.tokens].map(number),
      bar(tool.tokens, tokens, "good"),
    ]),
  );
}

function numeric(text, at) {
  return at === 0 ? text : { text, class: "number" };
}

function number(value = 0) {
  return { text: count(value), class: "number" };
}

/** Adds days without calls between the others, and leaves out days after today, which come from a wrong clock. */
function withGaps(days) {
  const known = new Map(days.map((day) => [day.name, day]));
  const today = new Date().toLocaleDateString("sv-SE");
  const names = [...known.keys()].filter((name) => name <= today).sort();
  const all = [];
  for (
    let at = Date.parse(names.at(-1));
    all.length < mostDays && at >= Date.parse(names[0]);
    at -= 86_400_000
  ) {
    const name = new Date(at).toISOString().slice(0, 10);
    all.unshift(known.get(name) ?? { name, calls: 0, tokens: 0 });
  }
  return all;
}

/** Creates a graph with a bar for each day. `parts` are pairs of a colour and a function from a day to a number. */
function graph(title, days, parts) {
  const sums = days.map((day) => parts.reduce((sum, [, read]) => sum + read(day), 0));
  const most = Math.max(1, ...sums);
  const step = width / Math.max(days.length, 10);
  const bars = days.map((day, at) => {
    let top = height;
    const rects = parts.filter(([, read]) => read(day) > 0).map(([kind, read]) => {
      const part = Math.max(1, (height - 4) * read(day) / most);
      top -= part;
      const place = { x: at * step + 1, y: top, width: step - 2, height: part };
      return svg("rect", { class: kind, ...place });
    });
    return svg("g", {}, svg("title", {}, `${day.name}: ${count(sums[at])}`), ...rects);
  });
  const label = `${title}: ${count(sums.reduce((sum, each) => sum + each, 0))}, at most ${
    count(most)
  } a day`;
  const shape = { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none" };
  return el(
    "figure",
    {},
    el("figcaption", { class: "quiet" }, label),
    svg("svg", { class: "graph", role: "img", "aria-label": label, ...shape }, ...bars),
    el("p", { class: "axis quiet" }, ...[0, -1].map((at) => el("span", {}, days.at(at)?.name))),
  );
}
