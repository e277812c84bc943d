/** Knows how the files of MCP clients differ: where servers are, units of timeouts, and how variables are written. */

import { basename, isAbsolute, posix, relative, resolve, sep } from "node:path";
import { isObject, ownProperty } from "../../../text/own_property.ts";
import { escapeReferences, homeVariable } from "../../../files/expand.ts";
import { optionalVariable, systemPath } from "../../../io.ts";

/**
 * How a client writes variables in its file. `braces`: `${NAME}`, `${NAME:-default}`; `names`: `$NAME`; `editor`:
 * `${env:NAME}`, `${userHome}` and others of an editor; `opencode`: `{env:NAME}`; `own`: as climax does; `literal`: it
 * has none. `doubtful`: nobody knows, so a server with something like a variable is left out.
 */
type Grammar = "braces" | "names" | "editor" | "opencode" | "own" | "literal" | "doubtful";

export interface Dialect {
  /** The name of the client, as `climax connect` accepts it. */
  readonly name: string;
  /** Recognizes the client's files by the end of their paths, with `/` between folders. */
  readonly file: RegExp;
  readonly grammar: readonly Grammar[];
  /** The unit of a server's `timeout`; absent if the unit is unknown, or if `timeout` does not bound a call. */
  readonly unit?: "s" | "ms";
  /** How many folders below a project's folder the client's file is, such as 1 for `.cursor/mcp.json`. @default 0 */
  readonly depth?: number;
}

const plain = ["braces", "editor"] as const;
const editor = ["editor"] as const;

export const ownDialect: Dialect = {
  ...{ name: "climax", file: /(?:^|\/)(?:climax|tamamo-x\.config)\.json$/, unit: "s" },
  grammar: ["own", "braces", "editor"],
};

export const typedDialect: Dialect = { ...ownDialect, name: "typed" };

const dialects: readonly Dialect[] = [
  ownDialect,
  { name: "claude-code", file: /\/\.(?:mcp|claude)\.json$/, grammar: plain, unit: "ms" },
  { name: "claude-desktop", file: /claude_desktop_config\.json$/, grammar: ["literal"] },
  { name: "cursor", file: /\.cursor\/mcp\.json$/, grammar: editor, depth: 1 },
  { name: "vscode", file: /(?:\.vscode|\/User)\/\w+\.json$/, grammar: editor, depth: 1 },
  { name: "windsurf", file: /windsurf\/mcp_config\.json$/, grammar: editor, depth: 2 },
  { name: "codex", file: /\.toml$/, grammar: ["literal"], depth: 1 },
  {
    ...{ name: "gemini", file: /(?:\.(?:gemini|qwen)\/settings|gemini-extension)\.json$/ },
    ...{ grammar: ["braces", "names"], unit: "ms", depth: 1 },
  },
  { name: "zed", file: /zed\/settings\.json$/, grammar: ["literal"], unit: "ms", depth: 1 },
  { name: "jetbrains", file: /\.junie\/mcp\/mcp\.json$/, grammar: plain, depth: 2 },
  { name: "cline", file: /cline_mcp_settings\.json$/, grammar: plain, unit: "s" },
  { name: "goose", file: /goose\/.*\.yaml$/, grammar: ["doubtful"], unit: "s" },
  { name: "opencode", file: /opencode\.jsonc?$/, grammar: ["opencode"] },
  { name: "roo", file: /\.(?:roo|kilocode)\/mcp\.json$/, grammar: plain, unit: "s", depth: 1 },
  { name: "amazonq", file: /\.amazonq\/.*\.json$/, grammar: plain, unit: "ms", depth: 1 },
  { name: "kiro", file: /\.kiro\/settings\/mcp\.json$/, grammar: plain, depth: 2 },
  { name: "copilot", file: /mcp-config\.json$|\.github\/mcp\.json$/, grammar: plain, unit: "ms" },
  { name: "crush", file: /crush\.json$/, grammar: ["doubtful"], unit: "s" },
  { name: "continue", file: /\.continue\/.*\.yaml$/, grammar: ["doubtful"], depth: 2 },
  { name: "another editor", file: /\/\.[\w-]+\/[\w-]*mcp[\w-]*\.json$/, grammar: plain, depth: 1 },
];

export function dialectOf(name: string | undefined): Dialect {
  return dialects.find((each) => each.name === name) ??
    { name: "another client", file: /(?:)/, grammar: plain };
}

export function findDialect(path: string, value: unknown): Dialect {
  if (ownProperty(value, "written") !== undefined) return ownDialect;
  const written = posix.join("/", path.replaceAll("\\", "/"));
  return dialects.find(({ file }) => file.test(written)) ?? dialectOf(undefined);
}

interface WrittenServer {
  readonly name: string;
  readonly written: unknown;
  readonly path: readonly (string | number)[];
}

const places = [
  ...[["mcpServers"], ["servers"], ["mcp_servers"], ["context_servers"], ["extensions"]],
  ...[["mcp", "servers"], ["amp.mcpServers"], ["mcp"], []],
];

export function findServers(value: unknown): readonly WrittenServer[] | undefined {
  const below = Object.keys(Object(value)).map((key) => [key, "mcpServers"]);
  for (const path of [...places, ...below]) {
    const at = path.reduce<unknown>((inner, key) => ownProperty(inner, key), value);
    const servers = serversIn(at, path);
    if (servers !== undefined && path[0] === "mcpServers") return servers;
    if (servers?.some(({ written }) => isServer(written))) return servers;
  }
  return undefined;
}

/** Returns the servers of a map by name or of a list. `path` is where the map or list stands in its file. */
export function serversIn(
  value: unknown,
  path: WrittenServer["path"] = [],
): readonly WrittenServer[] | undefined {
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  return Object.entries(value).map(([key, written]) => {
    const name = Array.isArray(value) ? String(ownProperty(written, "name") ?? key) : key;
    return { name, written, path: [...path, Array.isArray(value) ? Number(key) : key] };
  });
}

function isServer(value: unknown): boolean {
  const keys = ["command", "cmd", "url", "httpUrl", "serverUrl", "uri"];
  return isObject(value) && keys.some((key) => key in value);
}

const labels = new Set(["$schema", "inputs", "version", "name", "description", "mcp", "projects"]);

/** Returns top-level keys besides `key` that may have to do with servers, so that climax can say it ignores them. */
export function otherKeys(path: string, value: unknown, key: unknown): readonly string[] {
  const isForServers = /mcp[^/\\]*$/i.test(path);
  return key === undefined ? [] : Object.keys(Object(value)).filter((each) => {
    const mayBe = isForServers || /mcp|^servers$/i.test(each);
    return mayBe && each !== key && !labels.has(each);
  });
}

const references =
  /(\$*)(\$\{\{.*?\}\}|\$\{[^{}]*\}|\$\{(?=\w+:-)|\$[A-Za-z_]\w*)|\{(?:env|file):[^{}]*\}/g;

/** Makes a function that turns a client's variables into climax's. The server runs in `cwd`; its project is `root`. */
export function translatorOf({ grammar }: Dialect, root: string | undefined, cwd?: string) {
  const unknown: string[] = [];
  const warnings = new Set<string>();
  const knows = (kind: Dialect["grammar"][number]) => grammar.includes(kind);
  const workspace = root === undefined ? undefined : seenFrom(root, cwd);
  const known: Readonly<Record<string, string | undefined>> = {
    workspaceFolder: workspace,
    CLAUDE_PROJECT_DIR: workspace,
    workspaceFolderBasename: root && basename(resolve(systemPath(root))),
    userHome: `\${${homeVariable}}`,
    pathSeparator: sep,
    "/": sep,
  };

  function inBraces(inner: string): string | undefined {
    const [, kind, name = ""] = /^(env|input):(.*)$/s.exec(inner) ?? [];
    if (kind === "env" && /^[A-Za-z_]\w*$/.test(name)) return `\${${name}}`;
    if (knows("editor") && Object.hasOwn(known, inner)) return known[inner];
    if (knows("editor") && kind === "input") {
      const variable = variableName(`input_${name}`);
      warnings.add(`'\${${inner}}' is a question of the client; climax takes $${variable} instead`);
      return `\${${variable}}`;
    }
    const isName = knows("braces") ? /^[A-Za-z_]\w*(?::-[^$]*)?$/ : /^[A-Z_][A-Z0-9_]*$/;
    return isName.test(inner) && !knows("opencode") ? `\${${inner}}` : undefined;
  }

  function one(reference: string): string | undefined {
    if (knows("literal")) return escapeReferences(reference);
    if (knows("doubtful")) return undefined;
    const [, env] = /^\{env:([A-Za-z_]\w*)\}$/.exec(reference) ?? [];
    if (!reference.startsWith("$")) return knows("opencode") && env ? `\${${env}}` : undefined;
    const [, inner] = /^\$\{(.*)\}$/s.exec(reference) ?? [];
    if (inner !== undefined) return inBraces(inner);
    if (reference === "${") return undefined;
    if (knows("own")) return reference;
    if (!knows("names")) return escapeReferences(reference);
    if (optionalVariable(reference.slice(1)) === undefined) {
      warnings.add(`'${reference}' is no variable that is set; climax takes it for one`);
    }
    return reference;
  }

  function translate(text: string, expandsHome = false): string {
    if (knows("literal") && !expandsHome) return escapeReferences(text);
    const translated = text.replace(references, (whole, dollars = "", reference = whole) => {
      const known = one(reference);
      if (known === undefined) unknown.push(reference);
      return (knows("own") ? dollars : dollars.repeat(2)) + (known ?? reference);
    });
    const isLiteral = !expandsHome && !knows("own") && /^~(?=$|[/\\])/.test(text);
    return isLiteral ? `$${translated}` : translated;
  }

  return { translate, unknown, warnings };
}

/** Returns the path of the folder `root` for a program whose current folder is `cwd`. */
function seenFrom(root: string, cwd: string | undefined): string {
  if (cwd === undefined || isAbsolute(root)) return root;
  const isFar = /^[$~]/.test(cwd) || isAbsolute(cwd);
  return isFar ? resolve(systemPath(root)) : relative(cwd, root) || ".";
}

export function variableName(text: string): string {
  const words = text.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/[^A-Za-z0-9]+/g, "_");
  const name = words.replace(/^_|_$/g, "").toUpperCase();
  return /^[A-Z]/.test(name) ? name : `MCP_${name}`;
}
