/** The schema of files such as `climax.json`, and checks of the servers in them that a schema cannot express. */

import * as z from "zod";
import { selectSchema } from "../../files/select_schema.ts";
import { sandboxSchema } from "../../policy/schema.ts";
import type { Finding, Path } from "../../files/finding.ts";
import { isVisible, visibleName } from "../../text/escape.ts";
import { ownProperty } from "../../text/own_property.ts";
import { settingKeys } from "../project_settings.ts";

/** Matches a scope of OAuth (RFC 6749, section 3.3). */
export const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
const texts = z.array(z.string()).optional();
const textMap = z.record(z.string(), z.string()).optional();
const seconds = z.number().positive("expected more than 0").max(86_400, "expected at most 86400")
  .optional();

const authSchema = z.strictObject({
  clientId: z.string().min(1, "expected the id of a client, found an empty text").optional().meta({
    description: "A client that was registered by hand, or the address of its metadata document",
    examples: ["$CLIENT_ID"],
  }),
  clientSecret: z.string().regex(
    /^\$(?:\{\w+\}|\w+)$/,
    // The message about a wrong value must not quote it: someone may have written the secret itself in its place
    { error: "expected a variable, such as $NAME" },
  ).optional().meta({ description: "The variable with its secret", examples: ["$CLIENT_SECRET"] }),
  issuer: z.string().optional().meta({
    description: "The only authorization server that is accepted",
  }),
  scopes: z.array(z.string().regex(scopePattern, "expected the name of a scope")).optional().meta({
    description: "The scopes to ask for, instead of those that the server names",
    examples: [["files:read"]],
  }),
  shared: z.boolean().optional().meta({
    description: "Over HTTP, all clients use the login of the operator",
    default: false,
  }),
});

export const serverSchema = z.strictObject({
  name: z.string().min(1, "expected a name, found an empty text").refine(isVisible, visibleName)
    .meta({ description: "The tools have this name in front of theirs", examples: ["files"] }),
  transport: z.enum(["stdio", "http", "websocket"]).meta({ description: "How to reach it" }),
  command: z.string().min(1, "expected a program, found an empty text").optional().meta({
    description: "The program of a stdio server",
    examples: ["npx"],
  }),
  args: texts.meta({ description: "Its arguments" }),
  env: textMap.meta({
    description: "Its variables; $NAME is one of the environment",
    examples: [{ "TOKEN": "${TOKEN}" }],
  }),
  cwd: z.string().optional().meta({ description: "The directory it runs in" }),
  url: z.string().optional().meta({ description: "The address of an http or websocket server" }),
  headers: textMap.meta({
    description: "Headers of its requests; $NAME is a variable of the environment",
  }),
  timeout: seconds.meta({ description: "Seconds a call may take" }),
  tools: z.array(z.string()).refine(
    (list) => list.length === 0 || list.some((each) => !each.startsWith("!")),
    { error: "expected a pattern without ! too, such as *, of which those with ! take away" },
  ).optional().meta({
    description: "The only tools that are served: own names or patterns with *; ! takes away",
    examples: [["*", "!delete_repo"]],
  }),
  select: z.record(z.string(), selectSchema).optional().meta({
    description:
      "Part of the values in results that agents get, by the server's own names of tools",
    examples: [{ "list_issues": ["number", "title"] }],
  }),
  sandbox: sandboxSchema.optional().meta({
    description: "Holds a stdio server; {} is the directory of climax to write in, and no network",
  }),
  auth: authSchema.optional().meta({
    description:
      "How a person logs in to an http server, if it differs from the server's own description",
  }),
});

export const configVersion = "1.0.0";

export const projectSchema = z.strictObject({
  $schema: z.string().optional().meta({
    description: "Where editors find the schema of this file",
  }),
  version: z.string().refine((text) => text === configVersion, {
    error: ({ input }) => `version '${input}' is not supported, expected: ${configVersion}`,
  }).optional().meta({ description: "The version of this format", examples: ["1.0.0"] }),
  mcpServers: z.array(serverSchema).meta({ description: "The MCP servers whose tools are served" }),
  ...settingKeys,
});

export type ProjectFile = z.infer<typeof projectSchema>;
export type ServerFile = z.infer<typeof serverSchema>;

export function serverProblems(server: unknown, path: Path): Finding[] {
  const transport = ownProperty(server, "transport");
  if (transport !== "stdio" && transport !== "http" && transport !== "websocket") return [];
  const has = (key: string) => ownProperty(server, key) !== undefined;
  const needed = transport === "stdio" ? "command" : "url";
  const missing = `Missing required key '${needed}', which 'transport: ${transport}' needs`;
  const hint =
    "Take it out; a server with a 'command' is stdio, one with a 'url' http or websocket";
  const url = ownProperty(server, "url");
  const isUrl = transport !== "stdio" && typeof url === "string";
  return [
    ...(has(needed) ? [] : [{ path, message: missing }]),
    ...(isUrl ? checkUrl(url, transport, [...path, "url"]) : []),
    ...meaningless[transport].filter(has).map((key) => ({
      path: [...path, key],
      message: `'${key}' has no meaning for 'transport: ${transport}'`,
      hint,
    })),
    ...(transport === "http" ? checkAuth(server, path) : []),
  ];
}

const meaningless = {
  stdio: ["url", "headers", "auth"],
  http: ["command", "args", "env", "cwd", "sandbox"],
  websocket: ["command", "args", "env", "cwd", "sandbox", "auth"],
};

function checkAuth(server: unknown, path: Path): Finding[] {
  const auth = ownProperty(server, "auth");
  if (auth === undefined) return [];
  const at = [...path, "auth"];
  const headers = Object.keys(Object(ownProperty(server, "headers")));
  const isDouble = headers.some((name) => name.toLowerCase() === "authorization");
  const isAlone = ownProperty(auth, "clientSecret") !== undefined &&
    ownProperty(auth, "clientId") === undefined;
  return [
    ...(isDouble ? ["'auth' has no meaning beside the header 'Authorization'"] : []),
    ...(isAlone ? ["'clientSecret' needs a 'clientId'"] : []),
  ].map((message) => ({ path: at, message }));
}

function checkUrl(text: string, transport: "http" | "websocket", path: Path): Finding[] {
  const scheme = transport === "http" ? "http" : "ws";
  // A URL that begins with a variable is checked only when climax connects and knows the variable's value
  const url = URL.parse(text.replace(/\$\{?\w+\}?/g, "x"));
  if (text.startsWith("$") || [`${scheme}:`, `${scheme}s:`].includes(url?.protocol ?? "")) {
    return [];
  }
  const message = `'url': '${text}' is not a URL that begins with ${scheme}:// or ${scheme}s://`;
  return [{ path, message }];
}
