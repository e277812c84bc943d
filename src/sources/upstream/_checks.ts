/** Checks of a project config that its schema cannot express: keys that depend on each other, and other files. */

import { isAbsolute, join } from "node:path";
import { systemPath } from "../../io.ts";
import { believe } from "../../process/believed_paths.ts";
import type { Finding, Path } from "../../files/finding.ts";
import { messageOf } from "../../errors.ts";
import { checkProvider } from "../../agents/llm/settings.ts";
import { ownProperty } from "../../text/own_property.ts";
import type { ProjectFile } from "./schema.ts";

/** Accepts values that fail the schema; paths are relative to `folder`. */
export function checkProject(value: unknown, folder: string): Finding[] {
  const servers = ownProperty(value, "mcpServers");
  return [
    ...(Array.isArray(servers) ? servers.flatMap(checkServer) : []),
    ...(Array.isArray(servers) ? checkNames(servers) : []),
    ...checkProvider(ownProperty(value, "llmProvider")),
    ...checkEmbeddings(ownProperty(value, "embeddings")),
    ...checkContext(ownProperty(value, "projectContext"), folder),
    ...checkConstraints(ownProperty(value, "groupingConstraints")),
  ];
}

function checkServer(server: unknown, index: number): Finding[] {
  const path = ["mcpServers", index];
  const transport = ownProperty(server, "transport");
  const problemOfMissing = (key: string) => ({
    path,
    message: `Missing required key '${key}', which 'transport: ${transport}' needs`,
  });
  const meaningless = (key: string) =>
    ownProperty(server, key) === undefined ? [] : [{
      path: [...path, key],
      message: `'${key}' has no meaning for 'transport: ${transport}'`,
    }];
  if (transport === "stdio") {
    return [
      ...(ownProperty(server, "command") === undefined ? [problemOfMissing("command")] : []),
      ...["url", "headers", "auth"].flatMap(meaningless),
    ];
  }
  if (transport !== "http" && transport !== "websocket") return [];
  const url = ownProperty(server, "url");
  return [
    ...(url === undefined ? [problemOfMissing("url")] : []),
    ...(typeof url === "string" ? checkUrl(url, transport, [...path, "url"]) : []),
    ...["command", "args", "env", "cwd", "sandbox"].flatMap(meaningless),
    ...(transport === "websocket" ? meaningless("auth") : checkAuth(server, path)),
  ];
}

function checkAuth(server: unknown, path: Path): Finding[] {
  const auth = ownProperty(server, "auth");
  if (auth === undefined) return [];
  const at = [...path, "auth"];
  const headers = Object.keys(Object(ownProperty(server, "headers")));
  const both = headers.some((name) => name.toLowerCase() === "authorization")
    ? [{ path: at, message: "'auth' has no meaning beside the header 'Authorization'" }]
    : [];
  const url = ownProperty(auth, "clientMetadataUrl");
  const alone = ownProperty(auth, "clientSecret") !== undefined &&
    ownProperty(auth, "clientId") === undefined;
  const isDocument = typeof url !== "string" || URL.parse(url)?.protocol === "https:";
  return [
    ...both,
    ...(alone ? [{ path: at, message: "'clientSecret' needs a 'clientId'" }] : []),
    ...(isDocument ? [] : [{
      path: [...at, "clientMetadataUrl"],
      message: `'clientMetadataUrl': '${url}' is not a URL that begins with https://`,
    }]),
  ];
}

function checkUrl(text: string, transport: "http" | "websocket", path: Path): Finding[] {
  const schemes = transport === "http" ? ["http:", "https:"] : ["ws:", "wss:"];
  // The value of a variable is checked at use
  const url = URL.parse(text.replace(/\$\{?\w+\}?/g, "x"));
  if (text.startsWith("$") || (url !== null && schemes.includes(url.protocol))) return [];
  const expected = schemes.map((scheme) => `${scheme}//`).join(" or ");
  return [{ path, message: `'url': '${text}' is not a URL that begins with ${expected}` }];
}

function checkNames(servers: readonly unknown[]): Finding[] {
  const seen = new Set<unknown>();
  return servers.flatMap((server, index) => {
    const name = ownProperty(server, "name");
    if (typeof name !== "string") return [];
    const path = ["mcpServers", index, "name"];
    if (name !== name.trim()) {
      return [{ path, message: `'name': '${name}' begins or ends with a blank` }];
    }
    if (seen.has(name)) return [{ path, message: `Server '${name}' is defined twice` }];
    seen.add(name);
    return [];
  });
}

function checkEmbeddings(embeddings: unknown): Finding[] {
  const endpoint = ownProperty(embeddings, "endpoint");
  if (typeof endpoint !== "string") return [];
  const path = ["embeddings", "endpoint"];
  const url = URL.parse(endpoint);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    const message = `'endpoint': '${endpoint}' is not a URL that begins with http:// or https://`;
    const hint = "The base URL as OpenAI clients have it, such as http://127.0.0.1:11434/v1";
    return [{ path, message, hint }];
  }
  if (url.username === "" && url.password === "") return [];
  const hint =
    "'apiKeyVariable' names an environment variable whose value is sent as a bearer token";
  return [{ path, message: "'endpoint' has a user's name in it, which cannot be sent", hint }];
}

function checkContext(context: unknown, folder: string): Finding[] {
  return ["agentFilePath", "claudeFilePath"].flatMap((key) => {
    const path = ownProperty(context, key);
    if (typeof path !== "string") return [];
    const reason = whyNotMarkdown(isAbsolute(path) ? path : join(folder, path));
    const message = `'${key}': '${path}' ${reason}`;
    return reason === undefined ? [] : [{ path: ["projectContext", key], message }];
  });
}

function whyNotMarkdown(path: string): string | undefined {
  if (!/\.(?:md|markdown|mdx)$/i.test(path)) return "is not a Markdown file, expected .md";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(Deno.readFileSync(systemPath(believe(path))));
    return undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "is not found";
    if (error instanceof TypeError) return "is not UTF-8 text";
    return `cannot be read: ${messageOf(error)}`;
  }
}

/** With defaults applied. */
export interface GroupingConstraints {
  readonly minToolsPerGroup: number;
  readonly maxToolsPerGroup: number;
  readonly minGroups: number;
  readonly maxGroups: number;
}

const defaults: GroupingConstraints = {
  minToolsPerGroup: 5,
  maxToolsPerGroup: 20,
  minGroups: 3,
  maxGroups: 10,
};

export function constraintDefaults(
  written: ProjectFile["groupingConstraints"] = {},
): GroupingConstraints {
  const given = Object.entries(written).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** Limits that contradict each other; `written` may fail the schema. */
function checkConstraints(written: unknown): Finding[] {
  const valueOf = (key: keyof GroupingConstraints) => {
    const value = (written as Record<string, unknown> | null)?.[key];
    return typeof value === "number" ? value : defaults[key];
  };
  const pairs = [["minToolsPerGroup", "maxToolsPerGroup"], ["minGroups", "maxGroups"]] as const;
  return pairs.flatMap(([least, most]) => {
    if (valueOf(most) >= valueOf(least)) return [];
    const given = (written as Record<string, unknown> | null)?.[most] === undefined ? least : most;
    const message = `'${most}' (${valueOf(most)}) is less than '${least}' (${valueOf(least)})`;
    return [{ path: ["groupingConstraints", given], message }];
  });
}
