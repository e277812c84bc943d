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

/** Creates a text that is scrolled by itself. */
export function pre(text, props = {}) {
  return el("pre", { tabindex: "0", ...props }, text);
}

/** Creates a disclosure; `make` returns its content when it is opened first. */
export function disclosure(title, make) {
  const details = el("details", {}, el("summary", {}, title));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(make());
  });
  return details;
}

/** Creates a text with a button that copies it. */
export function copyable(text, props = {}) {
  return el("div", { class: "copyable" }, pre(text, props), copyButton(text));
}

function copyButton(text) {
  const button = el("button", { type: "button", class: "small" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      // What is shown: pasted into a terminal, a control character could end a quoted word
      await navigator.clipboard.writeText(escapeInvisible(text));
      announce(button.textContent = "Copied");
    } catch {
      announce(button.textContent = "Not allowed");
    }
  });
  return button;
}

/** Creates a labelled field around `input`, which gets the `id`. */
export function field(id, label, input, { hint, note } = {}) {
  input.id = id;
  if (hint) input.setAttribute("aria-describedby", `${id}-hint`);
  return el(
    "div",
    { class: "field" },
    el("label", { for: id }, label, note ? el("span", { class: "note" }, ` (${note})`) : undefined),
    input,
    hint ? el("p", { id: `${id}-hint` }, hint) : undefined,
  );
}

/** Creates a field for words that are searched; the key `/` leads to it. */
export function searchField(id, label, input) {
  input.setAttribute("aria-keyshortcuts", "/");
  return el(
    "div",
    { class: "field wide" },
    el("label", { for: id }, label),
    el("span", { class: "keyed" }, input, el("kbd", { "aria-hidden": "true" }, "/")),
  );
}

/** Creates an input for {@linkcode searchField}. */
export function searchInput(id, { value = "", example = " " } = {}) {
  const off = { autocomplete: "off", spellcheck: "false" };
  const input = el("input", { id, type: "search", placeholder: example, ...off });
  input.value = value;
  return input;
}

/** Creates a select of `[value, text]` pairs. */
export function choice(options, value = "") {
  const select = el("select", {}, options.map(([key, text]) => el("option", { value: key }, text)));
  select.value = value;
  return select;
}

/** Returns a test for texts that have every word of `query`. */
export function wordsTest(query) {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const lower = text.toLowerCase();
    return wanted.every((word) => lower.includes(word));
  };
}

/** Debounces `work`. */
export function debounce(work, ms = 150) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };
}
