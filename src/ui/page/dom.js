/** Creates elements from plain values. Text is always a text node: nothing here parses HTML. */

/** Creates an element; `props` are listeners (`onclick`) or attributes, except undefined and false ones. */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  const given = children.flat().filter((child) => child !== undefined && child !== null);
  element.append(
    ...given.map((child) => typeof child === "string" ? escapeInvisible(child) : child),
  );
  return element;
}

/** Invisible or reordering characters, except tabs, line feeds and the joiners of emoji. */
const hidden = /(?![\t\n\u200d\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]/gu;

/** Escapes invisible and reordering characters in `text`. */
export function escapeInvisible(text) {
  return text.replace(/\r\n/g, "\n").replace(hidden, (character) => {
    return `\\u{${character.codePointAt(0).toString(16)}}`;
  });
}

/** Announces a text to screen readers. */
export function announce(text) {
  document.getElementById("status").textContent = text;
}

/** Shows a problem as a paragraph. */
export function problem(error) {
  return el("p", { class: "problem", role: "alert" }, error.message ?? String(error));
}

/** Creates a table; each row is a list of cells, a cell a text or `{ text, node, class }`. */
export function table(caption, heads, rows) {
  const cell = (value, at) => {
    const { text, node, class: kind } = typeof value === "object" ? value : { text: value };
    const props = { class: kind, "data-label": heads[at] };
    return at === 0
      ? el("th", { scope: "row", class: kind }, node ?? text ?? "")
      : el("td", props, node ?? text ?? "");
  };
  return el(
    "div",
    { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" },
    el(
      "table",
      { class: "stack" },
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell)))),
    ),
  );
}

/** Creates a labelled field around `input`, which gets the label's `id`. */
export function field(id, label, input, hint) {
  input.id = id;
  if (hint) input.setAttribute("aria-describedby", `${id}-hint`);
  return el(
    "div",
    { class: "field" },
    el("label", { for: id }, label),
    hint ? el("p", { id: `${id}-hint` }, hint) : undefined,
    input,
  );
}

/** Debounces `work`. */
export function debounce(work, ms = 150) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };
}
