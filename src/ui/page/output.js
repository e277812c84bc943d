/** A long text, such as a result: it can be searched, wrapped, copied and saved. */

import { announce, copyButton, count, debounce, el, escapeInvisible, pre } from "./dom.js";

/** Places that a search marks and steps through. */
const mostFound = 1000;

/** A text with fewer lines is seen at once. */
const fewLines = 8;

/** Lines wrap in all texts, or in none. */
let wraps = false;

/** Creates the view of `text`, which is saved as the file `name`; an error `isProse`, so its lines wrap. */
export function output(text, { name, isProse = false }) {
  const body = pre(text, { class: "output" });
  body.classList.toggle("wraps", wraps || isProse);
  const wrap = el("button", { type: "button", class: "small", onclick: () => setWrap() }, "Wrap");
  const setWrap = () => {
    wraps = body.classList.toggle("wraps");
    wrap.ariaPressed = String(wraps);
  };
  wrap.ariaPressed = String(wraps || isProse);
  const save = el("button", { type: "button", class: "small" }, "Save");
  save.addEventListener("click", () => saveFile(text, name));
  const isLong = text.split("\n", fewLines).length === fewLines;
  return el(
    "div",
    { class: "text-view" },
    el(
      "div",
      { class: "tools-row" },
      isLong ? finder(body) : undefined,
      wrap,
      copyButton(text),
      save,
    ),
    body,
  );
}

function saveFile(text, name) {
  const href = URL.createObjectURL(new Blob([text]));
  el("a", { href, download: name.replace(/[^\w.-]/g, "_") }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
  announce(`Saved as ${name}`);
}

/** Creates the search in the text of `body`; Enter leads to the next place, Shift+Enter to the one before. */
function finder(body) {
  const input = el("input", {
    type: "search",
    "aria-label": "Find in the result",
    placeholder: "Find",
    autocomplete: "off",
    spellcheck: "false",
  });
  const note = el("span", { class: "note", role: "status" });
  let ranges = [];
  let at = 0;
  const show = () => {
    CSS.highlights?.set("found", new Highlight(...ranges));
    CSS.highlights?.set("current", new Highlight(...ranges.slice(at, at + 1)));
    const more = ranges.length === mostFound ? " or more" : "";
    note.textContent = input.value === ""
      ? ""
      : ranges.length === 0
      ? "Not found"
      : `${count(at + 1)} of ${count(ranges.length)}${more}`;
    if (ranges.length > 0) scrollTo(body, ranges[at]);
  };
  const find = () => {
    ranges = input.value === "" ? [] : rangesOf(body.firstChild, escapeInvisible(input.value));
    at = 0;
    show();
  };
  input.addEventListener("input", debounce(find));
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (ranges.length === 0) return find();
    at = (at + (event.shiftKey ? -1 : 1) + ranges.length) % ranges.length;
    show();
  });
  return el("span", { class: "find", role: "search" }, input, note);
}

/** The places of `words` in a text node, whatever their case. */
function rangesOf(node, words) {
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  return node.data.matchAll(pattern).take(mostFound).map(({ index, 0: { length } }) => {
    const range = new Range();
    range.setStart(node, index);
    range.setEnd(node, index + length);
    return range;
  }).toArray();
}

/** Scrolls `body`, and not the page, to the middle of a range. */
function scrollTo(body, range) {
  const [place, frame] = [range.getBoundingClientRect(), body.getBoundingClientRect()];
  body.scrollTop += place.top - frame.top - body.clientHeight / 2;
  body.scrollLeft += place.left - frame.left - body.clientWidth / 2;
}
