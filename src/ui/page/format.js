/** Numbers, effects and bars, the same in every view. */

import { el } from "./dom.js";

/** Formats a number with thousands separators. */
export function count(number) {
  return number.toLocaleString("en-US");
}

/** Formats a number of things: `1 tool`, `1,200 tools`. */
export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Formats milliseconds. */
export function duration(ms) {
  if (ms < 1000) return `${count(Math.round(ms))} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${count(Math.round(ms / 1000))} s`;
}

/** Formats a command line for a POSIX shell. */
export function commandLine(argv) {
  return argv.map((word) => {
    const text = String(word);
    return /^[\w\-=,./:@%+]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
  }).join(" ");
}

const effects = new Set(["read", "write", "destructive"]);

/** The effect of a tool as a coloured word. */
export function effectTag(effect) {
  return effects.has(effect)
    ? el("span", { class: `tag ${effect}` }, effect)
    : el("span", { class: "tag unknown" }, "effect unknown");
}

/** A cell with a bar; the number has a cell of its own, for people who do not see the bar. */
export function bar(value, most, kind) {
  const span = el("span", { "aria-hidden": "true", class: kind });
  span.style.width = `${share(value, most)}%`;
  return { node: span, class: "bar" };
}

/** One bar of several `{ name, number, kind }`, each with a width of its share. */
export function shares(parts) {
  const whole = parts.reduce((sum, { number }) => sum + number, 0);
  const spans = parts.filter(({ number }) => number > 0).map(({ number, kind }) => {
    const span = el("span", { class: kind });
    span.style.width = `${share(number, whole)}%`;
    return span;
  });
  return el("span", { class: "shares", "aria-hidden": "true" }, spans);
}

/** {@linkcode shares} with the number of each part. */
export function sharesWithLegend(label, parts) {
  return el(
    "div",
    { class: "picture", role: "group", "aria-label": label },
    shares(parts),
    el(
      "ul",
      { class: "legend" },
      parts.map(({ name, number, kind }) =>
        el("li", { class: kind }, el("b", {}, count(number)), ` ${name}`)
      ),
    ),
  );
}

function share(value, whole) {
  return whole > 0 ? Math.min(100, Math.max(0, 100 * value / whole)) : 0;
}
