/** Makes addresses of resources unique among servers: `SERVER+SCHEME:…`, or `ui://SERVER+…` for pages of MCP Apps. */

import { sha256 } from "../../text/hash.ts";
import { decodeForms, maxRounds } from "../../text/uri_spellings.ts";
import type { ContentBlock } from "../../tool/result.ts";
import { isObject } from "../../text/own_property.ts";
import { trimEndOf } from "../../text/excerpt.ts";

const maxLength = 4096;
const uiScheme = "ui://";

export class Addresses {
  readonly #servers: ReadonlyMap<string, string>;
  readonly #prefixes: ReadonlyMap<string, string>;

  constructor(servers: readonly string[]) {
    this.#prefixes = prefixesOf(servers);
    this.#servers = new Map([...this.#prefixes].map(([server, prefix]) => [prefix, server]));
  }

  get areUnchanged(): boolean {
    return this.#prefixes.size < 2;
  }

  serve(server: string, uri: string): string {
    return this.areUnchanged ? uri : this.qualify(server, uri);
  }

  qualify(server: string, uri: string): string {
    const prefix = this.#prefixes.get(server) ?? server;
    if (!uri.startsWith(uiScheme)) return `${prefix}+${uri}`;
    return `${uiScheme}${prefix}+${uri.slice(uiScheme.length)}`;
  }

  original(address: string): { readonly server: string; readonly uri: string } | undefined {
    const isUi = address.startsWith(uiScheme);
    const rest = isUi ? address.slice(uiScheme.length) : address;
    const end = rest.indexOf("+");
    const server = end === -1 ? undefined : this.#servers.get(rest.slice(0, end));
    if (server === undefined) return undefined;
    return { server, uri: `${isUi ? uiScheme : ""}${rest.slice(end + 1)}` };
  }
}

/** Returns for each server the prefix of its addresses: letters, digits, dots and hyphens (RFC 3986, section 3.1). */
function prefixesOf(servers: readonly string[]): Map<string, string> {
  const plain = (name: string) => /^[a-z][a-z0-9.-]{0,62}$/.test(name);
  const prefixes = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of [...servers.filter(plain), ...servers.filter((name) => !plain(name))]) {
    const part = name.toLowerCase().replace(/[^a-z0-9.-]/g, "-").replace(/^[^a-z]+/, "");
    const short = trimEndOf(part.slice(0, 48), "-");
    let prefix = name;
    for (let salt = ""; !plain(prefix) || taken.has(prefix); salt += "+") {
      prefix = `${short === "" ? "server" : short}-${sha256(name + salt).slice(0, 8)}`;
    }
    taken.add(prefix);
    prefixes.set(name, prefix);
  }
  return prefixes;
}

export function whyNotAddress(uri: string): string | undefined {
  if (uri.length > maxLength) return `has over ${maxLength} characters`;
  const forms = decodeForms(uri);
  if (forms.length > maxRounds) return "is percent-encoded too often";
  for (const form of forms) {
    if (/^\s*ui:/i.test(form) && !uri.startsWith(uiScheme)) return `is not written '${uiScheme}…'`;
    if (/[\p{Cc}\ufffd]/u.test(form)) return "has control characters";
    if (/(?:^|[\\/:])\.\.(?:[\\/?#]|$)/.test(form)) return "climbs out of its folder with '..'";
  }
  return undefined;
}

export type ServedLink = (uri: string) => string;
const readByClients = /^(?:https?|data|mailto):/i;

export function makeServedLink(
  server: string,
  addresses: Addresses,
  listed: () => ReadonlySet<string>,
): ServedLink {
  if (addresses.areUnchanged) return (uri) => uri;
  let known: ReadonlySet<string> | undefined;
  return (uri) => {
    if (readByClients.test(uri) && !(known ??= listed()).has(uri)) return uri;
    return addresses.serve(server, uri);
  };
}

interface Linked {
  readonly content?: readonly ContentBlock[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export function withServedLinks<Answer extends Linked>(answer: Answer, served: ServedLink): Answer {
  const { content, _meta } = answer;
  return {
    ...answer,
    ...(content && { content: content.map((block) => linkBlock(block, served)) }),
    ...(_meta && { _meta: withServedInterface(_meta, served) }),
  };
}

function linkBlock(block: ContentBlock, served: ServedLink): ContentBlock {
  if (block.type === "resource_link" && typeof block.uri === "string") {
    return { ...block, uri: served(block.uri) };
  }
  if (block.type === "resource" && typeof block.resource?.uri === "string") {
    return { ...block, resource: { ...block.resource, uri: served(block.resource.uri) } };
  }
  return block;
}

/** Replaces the address of a tool's page (MCP Apps, 2026-01-26) in `_meta` by the one at which clients can read it. */
export function withServedInterface(
  meta: Readonly<Record<string, unknown>>,
  served: ServedLink,
): Readonly<Record<string, unknown>> {
  const { ui, "ui/resourceUri": former } = meta;
  const address = isObject(ui) ? ui["resourceUri"] : undefined;
  return {
    ...meta,
    ...(typeof address === "string" && { ui: { ...ui as object, resourceUri: served(address) } }),
    ...(typeof former === "string" && { "ui/resourceUri": served(former) }),
  };
}

type Part = string | Expression;

type Expression = { readonly operator: string; readonly names: readonly string[] };

const operators = "+#./;?&";

export function templateVariables(template: string): string[] {
  const names = partsOf(template).flatMap((part) => typeof part === "string" ? [] : part.names);
  return [...new Set(names)];
}

export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return partsOf(template).map((part) => typeof part === "string" ? part : expand(part, values))
    .join("");
}

/** Returns whether some values of the variables of the template `template` give the address `address`. */
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

function encodeStrict(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/[!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
