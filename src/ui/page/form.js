/** Creates a form from a JSON Schema of an object: required and common arguments first, the others folded. */

import { el, field } from "./dom.js";
import { fieldOf, parseJson } from "./fields.js";
import { count, plural } from "./format.js";

/** Fields of a form; further arguments are written as JSON. */
const mostFields = 100;
/** Fields that are shown unfolded; required ones are shown in any case. */
const mostOpen = 6;
/** More fields than these are folded. */
const fewest = 2;

/** Creates the fields of `schema`, with `read()`, which returns the values or throws a problem. */
export function formOf(schema, idPrefix = "arg") {
  const properties = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required ?? []);
  const fields = properties.slice(0, mostFields).map(([name, property], at) =>
    fieldOf(name, property, { id: `${idPrefix}-${at}`, required: required.has(name) })
  );
  const values = () => {
    const given = fields.map(({ name, read }) => [name, read()]);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined));
  };
  const [open, folded] = divided(fields);
  const left = properties.length - fields.length;
  const plain = el(
    "div",
    {},
    grid(open),
    folded.length > 0 ? fold(folded) : undefined,
    left > 0
      ? el("p", { class: "quiet" }, `${count(left)} more arguments can be written as JSON`)
      : undefined,
  );
  const json = jsonOf(idPrefix, { fields, values, plain });
  const node = el(
    "div",
    { class: "arguments" },
    properties.length === 0 ? el("p", { class: "quiet" }, "It takes no arguments") : undefined,
    plain,
    json.node,
  );
  return { node, toggle: json.toggle, read: () => json.isUsed() ? json.read() : values() };
}

/** The fields that are shown, and those that are folded. Configs name common arguments first. */
function divided(fields) {
  const required = fields.filter((each) => each.required);
  const optional = fields.filter((each) => !each.required);
  const room = Math.max(mostOpen - required.length, 0);
  const isShort = optional.length <= room + fewest;
  const open = isShort ? optional : optional.slice(0, room);
  return [[...required, ...open], isShort ? [] : optional.slice(room)];
}

/** Fields to type or choose in first, boxes to check last. */
function grid(fields) {
  const kinds = [fields.filter(({ isCheck }) => !isCheck), fields.filter(({ isCheck }) => isCheck)];
  const grids = kinds.filter((kind) => kind.length > 0)
    .map((kind) => el("div", { class: "fields" }, kind.map(({ node }) => node)));
  return el("div", {}, grids);
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
  return details;
}

function isSet({ read }) {
  try {
    return read() !== undefined;
  } catch {
    return true;
  }
}

/** The arguments as one JSON text, and the box that switches to it and back. */
function jsonOf(idPrefix, { fields, values, plain }) {
  const text = el("textarea", { rows: "8", spellcheck: "false", class: "code" });
  const box = el("input", { type: "checkbox", id: `${idPrefix}-as-json` });
  const wrong = el("p", { class: "problem", role: "alert" });
  const node = el("div", { hidden: true }, field(`${idPrefix}-json`, "Arguments as JSON", text));
  const read = () => parseJson(text, "The arguments");
  const toForm = () => {
    const given = read();
    for (const { name, write } of fields) {
      write(Object.hasOwn(given ?? {}, name) ? given[name] : undefined);
    }
  };
  box.addEventListener("change", () => {
    wrong.textContent = "";
    try {
      if (box.checked) text.value = JSON.stringify(values(), null, 2);
      else toForm();
    } catch (error) {
      wrong.textContent = error.message;
      box.checked = !box.checked;
    }
    node.hidden = !box.checked;
    plain.hidden = box.checked;
  });
  const toggle = el(
    "div",
    { class: "toggle" },
    box,
    el("label", { for: box.id }, "As JSON"),
    wrong,
  );
  return { node, toggle, isUsed: () => box.checked, read };
}
