/** Creates a form from a JSON Schema of an object: required and common arguments are shown, further ones are folded. */

import { count, el, field, plural } from "./dom.js";

/** A form has at most this many fields; further arguments can be written as JSON. */
const mostFields = 100;
/** At most this many fields are shown unfolded; required fields always are. */
const mostOpen = 6;
/** At most this many fields beyond `mostOpen` are shown too instead of being folded. */
const fewest = 2;

/**
 * Creates the fields of `schema`. `read()` returns their values or throws a problem, `typed()` returns the values typed
 * so far if they can be read, and `write()` sets them. Values of arguments named in `secret` are hidden as they are
 * typed.
 */
export function formOf(schema, { idPrefix = "arg", secret = [] } = {}) {
  const properties = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required ?? []);
  const fields = properties.slice(0, mostFields).map(([name, property], at) =>
    fieldOf(name, property, { id: `${idPrefix}-${at}`, required: required.has(name) })
  );
  const values = () => {
    const given = fields.map(({ name, read }) => [name, read()]);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined));
  };
  for (const { name, input } of fields) input.classList.toggle("secret", secret.includes(name));
  const [open, folded] = divided(fields);
  const left = properties.length - fields.length;
  const more = folded.length > 0 ? fold(folded) : undefined;
  const rest = `${count(left)} more arguments can be written as JSON`;
  const note = left > 0 ? el("p", { class: "quiet" }, rest) : undefined;
  const plain = el("div", {}, grid(open), more?.node, note);
  const json = jsonOf(idPrefix, { fields, values, plain });
  const isEmpty = properties.length === 0;
  const none = isEmpty ? el("p", { class: "quiet" }, "It takes no arguments") : undefined;
  const node = el("div", { class: "arguments" }, none, plain, json.node);
  const typed = () => {
    try {
      return json.isUsed() ? json.read() : values();
    } catch {
      return undefined;
    }
  };
  const read = () => {
    if (json.isUsed()) return json.read();
    const given = values();
    const missing = fields.filter((each) => each.required && given[each.name] === undefined);
    for (const { input } of missing) markMissing(input);
    if (missing.length === 0) return given;
    const names = missing.map(({ name }) => name).join(", ");
    throw fieldError(missing[0].input, `Required: ${names}`);
  };
  const write = (given) => {
    json.write(given);
    more?.draw();
  };
  return { node, toggle: json.toggle, read, typed, write };
}

function markMissing(input) {
  if (input.hasAttribute("aria-invalid")) return;
  const note = el("p", { class: "problem", id: `${input.id}-missing` }, "Required");
  const described = input.getAttribute("aria-describedby");
  const unmark = () => {
    note.remove();
    input.removeAttribute("aria-invalid");
    if (described === null) input.removeAttribute("aria-describedby");
    else input.setAttribute("aria-describedby", described);
  };
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", [note.id, described].filter(Boolean).join(" "));
  input.addEventListener("input", unmark, { once: true });
  input.after(note);
}

/** Divides the fields into shown and folded ones. Configs name common arguments first, so the first ones are shown. */
function divided(fields) {
  const required = fields.filter((each) => each.required);
  const optional = fields.filter((each) => !each.required);
  const room = Math.max(mostOpen - required.length, 0);
  const isShort = optional.length <= room + fewest;
  const open = isShort ? optional : optional.slice(0, room);
  return [[...required, ...open], isShort ? [] : optional.slice(room)];
}

/** Arranges the fields: check boxes come after the fields to type or choose in. */
function grid(fields) {
  const inOrder = fields.toSorted((a, b) => a.isCheck - b.isCheck);
  const kinds = [...Map.groupBy(inOrder, ({ isCheck }) => isCheck).values()];
  return el(
    "div",
    {},
    kinds.map((kind) => el("div", { class: "fields" }, kind.map((f) => f.node))),
  );
}

function fold(fields) {
  const title = el("summary");
  const draw = () => {
    const set = fields.filter(isSet).length;
    const note = set === 0 ? "" : `, ${count(set)} set`;
    title.textContent = `${plural(fields.length, "more argument")}${note}`;
  };
  const details = el("details", { class: "more" }, title, grid(fields));
  details.addEventListener("input", draw);
  details.addEventListener("toggle", draw);
  draw();
  return { node: details, draw };
}

function isSet({ read }) {
  try {
    return read() !== undefined;
  } catch {
    return true;
  }
}

/** Creates a text area with all arguments as JSON, and the check box that switches between it and the fields. */
function jsonOf(idPrefix, { fields, values, plain }) {
  const text = el("textarea", { rows: "8", spellcheck: "false", class: "code" });
  const box = el("input", { type: "checkbox", id: `${idPrefix}-as-json` });
  const wrong = el("p", { class: "problem", role: "alert" });
  const node = el("div", { hidden: true }, field(`${idPrefix}-json`, "Arguments as JSON", text));
  const read = () => parseJson(text, "The arguments");
  const toForm = (given) => {
    for (const { name, write } of fields) {
      write(Object.hasOwn(given ?? {}, name) ? given[name] : undefined);
    }
  };
  const show = () => {
    node.hidden = !box.checked;
    plain.hidden = box.checked;
  };
  const isShown = ([name, value]) => {
    const found = fields.find((each) => each.name === name);
    const now = found?.read();
    // A check box in its default state means that the argument is absent
    if (found?.isCheck && now === undefined) return typeof value === "boolean";
    return JSON.stringify(now) === JSON.stringify(value);
  };
  const write = (given) => {
    try {
      toForm(given);
      // Arguments that the fields cannot show unchanged stay JSON
      box.checked = !Object.entries(given).every(isShown);
    } catch {
      box.checked = true;
    }
    text.value = JSON.stringify(given, null, 2);
    show();
  };
  box.addEventListener("change", () => {
    wrong.textContent = "";
    try {
      if (box.checked) text.value = JSON.stringify(values(), null, 2);
      else toForm(read());
    } catch (error) {
      wrong.textContent = error.message;
      box.checked = !box.checked;
    }
    show();
  });
  const label = el("label", { for: box.id }, "As JSON");
  const toggle = el("div", { class: "toggle" }, box, label, wrong);
  return { node, toggle, isUsed: () => box.checked, read, write };
}

/** A field offers at most this many choices; further ones are cut off. */
const mostChoices = 500;

/** Creates the field of an argument. Its `read()` returns `undefined` if the argument is left out. */
export function fieldOf(name, given, { id, required }) {
  const schema = withoutNull(isObject(given) ? given : {});
  const { input, read, write, isWide } = inputOf(name, schema, required);
  if (required) input.setAttribute("aria-required", "true");
  const hint = [schema.description, ...notes(schema)].filter(Boolean).join("\n");
  const node = input.type === "checkbox"
    ? checkField(id, name, { input, hint, required })
    : field(id, name, input, { hint, note: required ? "required" : undefined });
  if (isWide) node.classList.add("whole");
  return { name, node, input, read, write, required, isCheck: input.type === "checkbox" };
}

function checkField(id, name, { input, hint, required }) {
  input.id = id;
  if (hint) input.setAttribute("aria-describedby", `${id}-hint`);
  return el(
    "div",
    { class: "check" },
    input,
    el(
      "div",
      {},
      el("label", { for: id }, name, required ? el("span", { class: "note" }, " (required)") : ""),
      hint ? el("p", { id: `${id}-hint` }, hint) : undefined,
    ),
  );
}

/** Removes `null` from a schema that allows it: a form leaves the argument out instead. */
function withoutNull(schema) {
  const { type, anyOf, ...others } = schema;
  if (Array.isArray(type)) {
    const types = type.filter((each) => each !== "null");
    return types.length === 1 ? { ...schema, type: types[0] } : schema;
  }
  const [only, ...more] = Array.isArray(anyOf) ? anyOf.filter((each) => each?.type !== "null") : [];
  return isObject(only) && more.length === 0 ? { ...only, ...others } : schema;
}

function notes({ default: preset, examples, type, items, enum: choices }) {
  const isList = type === "array" && isScalar(items?.type);
  const listed = isObject(items) && Array.isArray(items.enum) ? items.enum.slice(0, 50) : undefined;
  const isJson = !choices && !isScalar(type) && !isList;
  const hasDefault = preset !== undefined && preset !== null && type !== "boolean";
  return [
    isList ? "One item per line" : "",
    listed ? `Items: ${listed.join(", ")}` : "",
    isJson ? "As JSON" : "",
    hasDefault ? `Default: ${textOf(preset)}` : "",
    Array.isArray(examples) && examples.length > 0
      ? `For example: ${examples.slice(0, 3).map(textOf).join(", ")}`
      : "",
  ];
}

function textOf(value) {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

function isScalar(type) {
  return ["string", "integer", "number", "boolean"].includes(type);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function inputOf(name, schema, required) {
  const { type, enum: choices, items } = schema;
  if (Array.isArray(choices)) return select(choices.slice(0, mostChoices));
  if (type === "boolean") return checkbox(schema, required);
  if (type === "integer" || type === "number") return numberInput(name, schema);
  if (type === "array" && isScalar(items?.type)) return lines(items.type);
  return type === "string" ? text() : json(name);
}

function select(values) {
  const options = values.map((value, at) => el("option", { value: String(at) }, textOf(value)));
  const input = el("select", {}, el("option", { value: "" }, "Not set"), options);
  return {
    input,
    read: () => input.value === "" ? undefined : values[Number(input.value)],
    write(value) {
      const at = values.indexOf(value);
      input.value = at < 0 ? "" : String(at);
    },
  };
}

/** Creates a check box. In its default state, the argument is absent, unless it is required. */
function checkbox({ default: preset }, required) {
  const input = el("input", { type: "checkbox" });
  input.checked = preset === true;
  return {
    input,
    read: () => !required && input.checked === (preset === true) ? undefined : input.checked,
    write(value) {
      input.checked = value === undefined ? preset === true : value === true;
    },
  };
}

function numberInput(name, { type, minimum, maximum }) {
  const input = el("input", {
    type: "number",
    step: type === "integer" ? "1" : "any",
    min: minimum,
    max: maximum,
  });
  const read = () => {
    // The browser gives an empty value for text that is not a number
    if (input.validity.badInput) throw fieldError(input, `${name}: not a number`);
    return input.value === "" ? undefined : exactNumber(input, name);
  };
  return { input, read, write: (value) => input.value = value ?? "" };
}

function exactNumber(input, name) {
  const number = Number(input.value);
  const isExact = !Number.isInteger(number) || Number.isSafeInteger(number);
  if (!isExact) throw fieldError(input, `${name}: ${input.value} is too large to be sent exactly`);
  return number;
}

function lines(type) {
  const input = el("textarea", { rows: "1", spellcheck: "false" });
  const read = () => {
    const items = input.value.split("\n").filter((line) => line !== "");
    return items.length === 0 ? undefined : items.map((item) => scalar(item, type));
  };
  return { input, read, write: (value) => input.value = [value ?? []].flat().join("\n") };
}

function text() {
  const input = el("textarea", { rows: "1", spellcheck: "false" });
  const read = () => input.value === "" ? undefined : input.value;
  return { input, read, write: (value) => input.value = value ?? "" };
}

function json(name) {
  const input = el("textarea", { rows: "3", spellcheck: "false", class: "code" });
  return {
    input,
    isWide: true,
    read: () => input.value === "" ? undefined : parseJson(input, name),
    write: (value) => input.value = value === undefined ? "" : JSON.stringify(value, null, 2),
  };
}

/** Converts a text to a boolean or number if it is one. Another text is sent as typed, and the program refuses it. */
function scalar(item, type) {
  if (type === "boolean" && /^(true|false)$/.test(item)) return item === "true";
  if (type !== "integer" && type !== "number") return item;
  const number = Number(item);
  return item.trim() !== "" && Number.isFinite(number) ? number : item;
}

function parseJson(input, what) {
  try {
    return JSON.parse(input.value);
  } catch (error) {
    throw fieldError(input, `${what}: not JSON: ${error.message}`);
  }
}

/** Makes an error that names `input`, so that the page can move the focus there. */
function fieldError(input, message) {
  return Object.assign(new Error(message), { input });
}
