/** Creates a form from a JSON Schema of an object, or a field for JSON when the schema is too vague. */

import { el, field } from "./dom.js";

/** Fields of a form; further arguments are written as JSON. */
const mostFields = 100;
/** Choices of a field. */
const mostChoices = 500;

/** Creates the fields of `schema`, with `read()`, which returns the values or throws a problem. */
export function formOf(schema, idPrefix = "arg") {
  const properties = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required ?? []);
  const fields = properties.slice(0, mostFields).map(([name, property], at) => {
    return fieldOf(name, isObject(property) ? property : {}, {
      id: `${idPrefix}-${at}`,
      required: required.has(name),
    });
  });
  const values = () => {
    const given = fields.map(({ name, read }) => [name, read()]);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined));
  };
  const json = el("textarea", { rows: "8", spellcheck: "false" });
  const byHand = el("div", { hidden: true }, field(`${idPrefix}-json`, "Arguments as JSON", json));
  const plain = el("div", {}, fields.map(({ node }) => node));
  const toggle = el("input", { type: "checkbox", id: `${idPrefix}-by-hand` });
  toggle.addEventListener("change", () => {
    if (toggle.checked) {
      try {
        json.value = JSON.stringify(values(), null, 2);
      } catch {
        json.value ||= "{}";
      }
    }
    byHand.hidden = !toggle.checked;
    plain.hidden = toggle.checked;
  });
  const left = properties.length - fields.length;
  const node = el(
    "div",
    {},
    properties.length === 0 ? el("p", {}, "It takes no arguments") : undefined,
    plain,
    left > 0 ? el("p", {}, `${left} more arguments can be written as JSON`) : undefined,
    byHand,
    el(
      "p",
      {},
      toggle,
      " ",
      el("label", { for: toggle.id, style: undefined }, "Write the arguments as JSON"),
    ),
  );
  node.lastChild.lastChild.style.display = "inline";
  return { node, read: () => toggle.checked ? parse(json.value, "The arguments") : values() };
}

function fieldOf(name, schema, { id, required }) {
  const { input, read } = inputOf(name, schema);
  if (required) input.setAttribute("aria-required", "true");
  const hint = [schema.description, ...notes(schema)].filter(Boolean).join("\n");
  const label = required ? `${name} (required)` : name;
  return { name, node: field(id, label, input, hint), read };
}

function notes({ default: preset, examples, type, items, enum: choices }) {
  const listed = isObject(items) && Array.isArray(items.enum) ? items.enum.slice(0, 50) : undefined;
  return [
    type === "array" && isScalar(items?.type) ? "One item a line" : "",
    listed ? `Items: ${listed.join(", ")}` : "",
    type === "integer" ? "A whole number" : type === "number" ? "A number" : "",
    choices || isScalar(type) || (type === "array" && isScalar(items?.type)) ? "" : "As JSON",
    preset === undefined ? "" : `Without it: ${JSON.stringify(preset)}`,
    Array.isArray(examples)
      ? `Such as ${examples.slice(0, 3).map((each) => JSON.stringify(each)).join(", ")}`
      : "",
  ];
}

function isScalar(type) {
  return ["string", "integer", "number", "boolean"].includes(type);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An empty field is not sent. */
function inputOf(name, { type, enum: choices, items }) {
  if (Array.isArray(choices)) {
    return select(choices.slice(0, mostChoices));
  }
  if (type === "boolean") return select([true, false]);
  if (type === "array" && isScalar(items?.type)) {
    const input = el("textarea", { rows: "2", spellcheck: "false" });
    const read = () => {
      const lines = input.value.split("\n").filter((line) => line !== "");
      return lines.length === 0 ? undefined : lines.map((line) => scalar(line, items.type));
    };
    return { input, read };
  }
  const rows = type === "string" || isScalar(type) ? "1" : "3";
  const input = el("textarea", { rows, spellcheck: "false" });
  const read = () => {
    if (input.value === "") return undefined;
    return isScalar(type) ? scalar(input.value, type) : parse(input.value, name);
  };
  return { input, read };
}

function select(values) {
  const input = el(
    "select",
    {},
    el("option", { value: "" }, "Not given"),
    values.map((value, at) =>
      el("option", { value: String(at) }, typeof value === "string" ? value : JSON.stringify(value))
    ),
  );
  return { input, read: () => input.value === "" ? undefined : values[Number(input.value)] };
}

/** Converts a number if it is one; other texts are sent as typed, for the program to refuse. */
function scalar(text, type) {
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  if (type !== "integer" && type !== "number") return text;
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : text;
}

function parse(text, what) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${what}: not JSON: ${error.message}`);
  }
}
