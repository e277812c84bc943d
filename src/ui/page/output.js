/** Shows a long text, such as a result. A person can filter and wrap its lines, and copy or save the shown ones. */

import {
  announce,
  copyButton,
  debounce,
  el,
  escapeInvisible,
  plural,
  pre,
  searchInput,
  wordsTest,
} from "./dom.js";

/** A text with fewer lines needs no filter. */
const fewLines = 8;

/** Creates the view of `text`, which is saved as the file `name`. Errors are wrapped: columns matter less in them. */
export function output(text, { name, isError = false }) {
  const lines = text.split("\n");
  const words = searchInput("output-lines", { example: "Filter lines" });
  words.className = "small";
  words.ariaLabel = "Filter the lines of the result";
  const found = el("span", { class: "note", role: "status" });
  let shown = text;
  const filter = () => {
    const kept = words.value === "" ? lines : lines.filter(wordsTest(words.value));
    body.textContent = escapeInvisible(shown = kept.join("\n"));
    found.textContent = kept === lines ? "" : `${kept.length} of ${plural(lines.length, "line")}`;
  };
  words.addEventListener("input", debounce(filter));
  const body = pre(text, { class: isError ? "output wraps" : "output" });
  const wrap = el(
    "button",
    { type: "button", class: "small", "aria-pressed": `${isError}` },
    "Wrap",
  );
  wrap.addEventListener("click", () => wrap.ariaPressed = `${body.classList.toggle("wraps")}`);
  const save = () => {
    const href = URL.createObjectURL(new Blob([shown]));
    el("a", { href, download: name.replace(/[^\w.-]/g, "_") }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
    announce("Saved");
  };
  const tools = el(
    "div",
    { class: "text-tools" },
    lines.length < fewLines ? undefined : el("span", { class: "find" }, words, found),
    wrap,
    copyButton(() => shown),
    el("button", { type: "button", class: "small", onclick: save }, "Save"),
  );
  return el("div", {}, tools, body);
}
