/** Expands and matches templates of addresses (RFC 6570). The `UriTemplate` of the MCP SDK takes exponential time. */

/** A part of a template: a text, or an expression. */
type Part = string | Expression;

interface Expression {
  /** The operator as the template has it; empty: none. */
  readonly operator: string;
  readonly names: readonly string[];
}

const operators = "+#./;?&";

/** Returns the names of the variables of `template`, in order. */
export function templateVariables(template: string): string[] {
  const names = partsOf(template).flatMap((part) => typeof part === "string" ? [] : part.names);
  return [...new Set(names)];
}

/** Returns the address for `values`. A variable without a value is left out. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return partsOf(template).map((part) => typeof part === "string" ? part : expand(part, values))
    .join("");
}

/** True if `template` can make `address`. The time is at most the product of their lengths. */
export function fitsTemplate(template: string, address: string): boolean {
  const literals: string[] = [""];
  for (const part of partsOf(template)) {
    if (typeof part === "string") literals[literals.length - 1] += part;
    else literals.push("");
  }
  const first = literals[0]!;
  if (literals.length === 1) return address === first;
  if (!address.startsWith(first)) return false;
  let at = first.length;
  for (const literal of literals.slice(1, -1)) {
    const found = address.indexOf(literal, at);
    if (found === -1) return false;
    at = found + literal.length;
  }
  const last = literals.at(-1)!;
  return address.length - last.length >= at && address.endsWith(last);
}

function partsOf(template: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0;;) {
    const open = template.indexOf("{", at);
    const close = open === -1 ? -1 : template.indexOf("}", open);
    if (close === -1) return [...parts, template.slice(at)];
    if (open > at) parts.push(template.slice(at, open));
    const inside = template.slice(open + 1, close);
    const operator = operators.includes(inside.charAt(0)) ? inside.charAt(0) : "";
    const names = inside.slice(operator.length).split(",").map((name) => {
      return name.trim().replace(/(?:\*|:\d+)$/, "");
    }).filter((name) => name !== "");
    parts.push({ operator, names });
    at = close + 1;
  }
}

function expand({ operator, names }: Expression, values: Readonly<Record<string, string>>): string {
  const isOpen = operator === "+" || operator === "#";
  const given = names.flatMap((name) => {
    const value = Object.hasOwn(values, name) ? values[name]! : undefined;
    if (value === undefined) return [];
    const text = isOpen ? encodeURI(value.toWellFormed()) : encodeStrict(value);
    return operator !== "" && ";?&".includes(operator) ? [`${name}=${text}`] : [text];
  });
  if (given.length === 0) return "";
  const start = operator === "+" ? "" : operator;
  const separator = operator === "" || isOpen ? "," : operator === "?" ? "&" : operator;
  return start + given.join(separator);
}

/** Encodes everything but unreserved characters (RFC 3986, section 2.3). */
function encodeStrict(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/[!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
