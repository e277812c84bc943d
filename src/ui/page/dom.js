/**
 * Creates the elements of every view from plain values: numbers, effects, bars, tables. Text always becomes a text
 * node: nothing here parses HTML, so that no text of a program can become part of the page.
 */

/** Creates an element. `props` are attributes, and listeners such as `onclick`; undefined and false are omitted. */
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

/** Matches characters that are invisible or reorder text, except tabs, line feeds and the joiners of emoji. */
const hidden = /(?![\t\n\u200d\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]/gu;

/** Escapes characters that are invisible or reorder text, so that a person sees what `text` really contains. */
export function escapeInvisible(text) {
  return text.replace(/\r\n/g, "\n").replace(hidden, (character) => {
    return `\\u{${character.codePointAt(0).toString(16)}}`;
  });
}

export function announce(text) {
  document.getElementById("status").textContent = text;
}

export function problem(error) {
  return el("p", { class: "problem", role: "alert" }, error.message ?? String(error));
}

/** Creates what a view shows instead of an empty list: the reason, and what to do. */
export function emptyState(title, ...nodes) {
  return el("section", { class: "empty" }, el("h2", {}, title), ...nodes);
}

/** Creates a hint how a client gets these tools; `command` starts this climax in a terminal. */
export function connectHint({ command, configs }) {
  const words = ["connect", "claude-code", ...(configs.length > 4 ? [] : configs)];
  return emptyState(
    "Let an agent use these tools",
    copyable(`${command} ${commandLine(words)}`, { class: "command" }),
    el(
      "p",
      { class: "quiet" },
      "It shows the change to your client's file, and asks. Other clients: ",
      el("code", {}, `${command} connect`),
    ),
  );
}

/** Creates a block of preformatted text, which scrolls separately from the page. */
export function pre(text, props = {}) {
  return el("pre", { tabindex: "0", ...props }, text);
}

/** Creates a disclosure. `make` is called when a person first opens it, and returns the content. */
export function disclosure(title, make) {
  const details = el("details", {}, el("summary", {}, title));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(make());
  });
  return details;
}

/** Creates a text with a button that copies it, or that copies `whole` if the text is shortened. */
export function copyable(text, { whole = text, ...props } = {}) {
  return el("div", { class: "copyable" }, pre(text, props), copyButton(whole));
}

/** Creates a button that copies `text`, which may be a function that returns the text. */
export function copyButton(text, label = "Copy") {
  const button = el("button", { type: "button", class: "small" }, label);
  button.addEventListener("click", async () => {
    try {
      const given = typeof text === "string" ? text : await text();
      // The copied text is escaped, because a control character could end a quoted word in a terminal
      await navigator.clipboard.writeText(escapeInvisible(given));
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

/** Creates a field for a search; the key `/` moves the focus into it. */
export function searchField(id, label, input) {
  input.setAttribute("aria-keyshortcuts", "/");
  return el(
    "div",
    { class: "field wide" },
    el("label", { for: id }, label),
    el("span", { class: "keyed" }, input, el("kbd", { "aria-hidden": "true" }, "/")),
  );
}

/** Creates the form of a search or filter. The browser does not send it: `onSubmit` is called instead. */
export function searchForm(onSubmit, ...fields) {
  const onsubmit = (event) => (event.preventDefault(), onSubmit());
  return el("form", { class: "row", role: "search", onsubmit }, ...fields);
}

export function searchInput(id, { value = "", example = " " } = {}) {
  const off = { autocomplete: "off", spellcheck: "false" };
  const input = el("input", { id, type: "search", placeholder: example, ...off });
  input.value = value;
  return input;
}

export function choice(options, value = "") {
  const select = el("select", {}, options.map(([key, text]) => el("option", { value: key }, text)));
  select.value = value;
  return select;
}

/** Returns a function that tests whether a text has every word of `query`, in any letter case. */
export function wordsTest(query) {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const lower = text.toLowerCase();
    return wanted.every((word) => lower.includes(word));
  };
}

/** Returns a function that calls `work` once, when it has not been called again for `ms` milliseconds. */
export function debounce(work, ms = 150) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };
}

export function count(number) {
  return number.toLocaleString("en-US");
}

/** Formats a number of things: `1 tool`, `1,200 tools`. */
export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

export function duration(ms) {
  if (ms < 1000) return `${count(Math.round(ms))} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${count(Math.round(ms / 1000))} s`;
}

export function fileName(path) {
  return path.replace(/^.*[\\/]/, "");
}

/** Formats a command line for a POSIX shell. */
export function commandLine(argv) {
  return argv.map((word) => {
    const text = typeof word === "object" ? JSON.stringify(word) : String(word);
    return /^[\w\-=,./:@%+]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
  }).join(" ");
}

const effects = new Set(["read", "write", "destructive"]);

export function effectTag(effect) {
  return effects.has(effect)
    ? el("span", { class: `tag ${effect}` }, effect)
    : el("span", { class: "tag unknown" }, "effect unknown");
}

export function absentTag() {
  return el("span", { class: "tag absent" }, "not installed");
}

/** Creates a table cell with a bar, hidden from screen readers: the number is in a cell of its own. */
export function bar(value, most, kind) {
  const span = el("span", { "aria-hidden": "true", class: kind });
  span.style.width = `${share(value, most)}%`;
  return { node: span, class: "bar" };
}

/** Creates one bar with several parts `{ name, number, kind }`, each as wide as its share. */
export function shares(parts) {
  const whole = parts.reduce((sum, { number }) => sum + number, 0);
  const spans = parts.filter(({ number }) => number > 0).map(({ number, kind }) => {
    const span = el("span", { class: kind });
    span.style.width = `${share(number, whole)}%`;
    return span;
  });
  return el("span", { class: "shares", "aria-hidden": "true" }, spans);
}

/** Creates the bar of {@linkcode shares}, with the name and number of each part below. */
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

/** Creates a table. A row is a list of cells; a cell is a text or `{ text, node, class }`. */
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

function headOf(head) {
  const { text, class: kind } = typeof head === "object" ? head : { text: head };
  return el("th", { scope: "col", class: kind }, text);
}

/** Creates one row of a table with the heads `heads`. */
export function tableRow(heads, cells) {
  const cell = (value, at) => {
    const { text, node, class: kind } = typeof value === "object" ? value : { text: value };
    const content = node ?? text ?? "";
    if (at === 0) return el("th", { scope: "row", class: kind }, content);
    return el("td", { class: kind, "data-label": heads[at].text ?? heads[at] }, content);
  };
  return el("tr", {}, cells.map(cell));
}

/** Makes `rows` the rows of `body`. A row that is there already is not moved, so that it keeps focus and open parts. */
export function updateRows(body, rows) {
  rows.forEach((row, at) => {
    if (body.children[at] !== row) body.insertBefore(row, body.children[at] ?? null);
  });
  while (body.children.length > rows.length) body.lastChild.remove();
}
