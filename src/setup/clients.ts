/** Lists the MCP clients that climax knows, with the places and formats of their server entries. */

import { join } from "node:path";
import type { ResultFormat } from "../catalog/compact.ts";
import { projectFiles } from "../exec/private_paths.ts";
import { type HomeFolders, homeFolders } from "../process/folders.ts";
import { optionalVariable } from "../io.ts";

export type FileFormat = "json" | "toml" | "yaml";

export const scopes = ["user", "project"] as const;

export type Scope = typeof scopes[number];

export type ServerCommand = readonly [command: string, ...args: string[]];

export type EntryName = "climax" | "climax-agents";

export interface McpClientProgram {
  readonly name: string;
  readonly title: string;
  readonly format: FileFormat;
  /** The key in the client's file below which its servers are listed, such as `mcpServers`. */
  readonly key: string;
  user?(folders: HomeFolders): readonly string[];
  readonly project?: readonly string[];
  /** Returns files and folders that show that the client is installed. */
  marks?(folders: HomeFolders): readonly string[];
  /** What a person has to do in the client before it starts a server that was added. */
  readonly then?: Readonly<Partial<Record<Scope, string>>>;
  /** Options with which climax serves this client, so that results are short enough and the client cuts none. */
  readonly serverDefaults?: {
    readonly results?: ResultFormat;
    /** Results for this client have at most this many tokens, of about five characters each, so that it cuts none. */
    readonly maxResultTokens?: number;
  };
  entry(command: ServerCommand, name: EntryName): Readonly<Record<string, unknown>>;
  forward?(variables: readonly string[]): Readonly<Record<string, unknown>>;
}

const byName = (refer: (name: string) => string) => (variables: readonly string[]) => ({
  env: Object.fromEntries(variables.map((name) => [name, refer(name)])),
});

const asEditor = byName((name) => `\${env:${name}}`);

const geminiThen =
  "Gemini CLI starts no server in a folder that you have not trusted: start gemini there, and say so";

const clineFolder = ({ home }: HomeFolders) => {
  return optionalVariable("CLINE_DATA_DIR") ||
    join(optionalVariable("CLINE_DIR") || join(home, ".cline"), "data");
};

const plain = ([command, ...args]: ServerCommand) => ({ command, args });

const usual = { format: "json", key: "mcpServers", entry: plain } as const;

export const clients: readonly McpClientProgram[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    ...usual,
    user: ({ home }) => [join(home, ".claude.json")],
    project: projectFiles["claude-code"],
    marks: ({ home }) => [join(home, ".claude"), join(home, ".claude.json")],
    then: {
      project: "Claude Code asks you first: start claude in this folder, and approve climax",
    },
    entry: (command) => ({ type: "stdio", ...plain(command) }),
  },
  {
    name: "claude-desktop",
    title: "Claude Desktop",
    ...usual,
    user: ({ settings }) => [join(settings, "Claude", "claude_desktop_config.json")],
  },
  {
    name: "cursor",
    title: "Cursor",
    ...usual,
    user: ({ home }) => [join(home, ".cursor", "mcp.json")],
    project: projectFiles.cursor,
    forward: asEditor,
  },
  {
    name: "vscode",
    title: "VS Code",
    format: "json",
    key: "servers",
    user: ({ settings }) => [join(settings, "Code", "User", "mcp.json")],
    project: projectFiles.vscode,
    then: { project: "VS Code asks whether you trust it when it is to start it first" },
    entry: (command) => ({ type: "stdio", ...plain(command) }),
  },
  {
    name: "windsurf",
    title: "Windsurf",
    ...usual,
    user: ({ home }) => [join(home, ".codeium", "windsurf", "mcp_config.json")],
    forward: asEditor,
  },
  {
    name: "codex",
    title: "Codex",
    format: "toml",
    key: "mcp_servers",
    user: (
      { home },
    ) => [join(optionalVariable("CODEX_HOME") || join(home, ".codex"), "config.toml")],
    project: projectFiles.codex,
    then: {
      project: "Codex reads it in folders that you trust: start codex in this one, and say so",
    },
    // Codex cuts a result at 10,000 tokens of four bytes each, so climax stays below that
    serverDefaults: { maxResultTokens: 8000 },
    entry: plain,
    forward: (variables) => ({ env_vars: variables }),
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    ...usual,
    user: ({ home }) => [join(home, ".gemini", "settings.json")],
    project: projectFiles.gemini,
    then: { user: geminiThen, project: geminiThen },
    forward: byName((name) => `\${${name}}`),
    // Gemini CLI cuts a result at 40,000 characters, so climax stays below that
    serverDefaults: { maxResultTokens: 8000 },
  },
  {
    name: "zed",
    title: "Zed",
    format: "json",
    key: "context_servers",
    user: ({ home, settings }) => [
      // Zed keeps its settings in `~/.config` on macOS too
      Deno.build.os === "darwin"
        ? join(home, ".config", "zed", "settings.json")
        : join(settings, Deno.build.os === "windows" ? "Zed" : "zed", "settings.json"),
    ],
    project: projectFiles.zed,
    then: {
      project: "Zed starts it when you trust the folder: the exclamation mark in its title bar",
    },
    entry: (command) => ({ source: "custom", ...plain(command) }),
  },
  {
    name: "jetbrains",
    title: "JetBrains Junie",
    ...usual,
    user: ({ home }) => [join(home, ".junie", "mcp", "mcp.json")],
    project: projectFiles.jetbrains,
    marks: ({ home }) => [join(home, ".junie")],
  },
  {
    name: "cline",
    title: "Cline",
    ...usual,
    user: (folders) => [
      optionalVariable("CLINE_MCP_SETTINGS_PATH") ||
      join(clineFolder(folders), "settings", "cline_mcp_settings.json"),
      join(
        ...[folders.settings, "Code", "User", "globalStorage", "saoudrizwan.claude-dev"],
        ...["settings", "cline_mcp_settings.json"],
      ),
    ],
    marks: (folders) => [
      clineFolder(folders),
      join(folders.settings, "Code", "User", "globalStorage", "saoudrizwan.claude-dev"),
    ],
    // Cline accepts results of 8,000 characters, too few for the schemas of ten tools, so search answers are compact
    serverDefaults: { results: "compact", maxResultTokens: 1500 },
    // `timeout` bounds the start and each call, in seconds. Without the key, Cline drops a slow server after 3 seconds
    entry: (command) => ({ ...plain(command), disabled: false, timeout: 300 }),
  },
  {
    name: "goose",
    title: "Goose",
    format: "yaml",
    key: "extensions",
    user: ({ home, settings }) => [
      Deno.build.os === "windows"
        ? join(settings, "Block", "goose", "config", "config.yaml")
        : join(home, ".config", "goose", "config.yaml"),
    ],
    entry: ([cmd, ...args], name) => {
      return { name, type: "stdio", cmd, args, enabled: true, timeout: 300 };
    },
  },
  {
    name: "opencode",
    title: "opencode",
    format: "json",
    key: "mcp",
    user: ({ home }) => {
      const folder = join(optionalVariable("XDG_CONFIG_HOME") || join(home, ".config"), "opencode");
      return [join(folder, "opencode.json"), join(folder, "opencode.jsonc")];
    },
    project: projectFiles.opencode,
    // opencode cuts a result at 51,200 bytes, so climax stays below that
    serverDefaults: { maxResultTokens: 10_000 },
    entry: (command) => ({ type: "local", command: [...command], enabled: true }),
  },
];

export const clientNames: readonly string[] = clients.map(({ name }) => name);

export function filesOf(client: McpClientProgram, scope: Scope, folder: string): readonly string[] {
  if (scope === "project") return (client.project ?? []).map((path) => join(folder, path));
  const folders = homeFolders();
  return folders === undefined ? [] : client.user?.(folders) ?? [];
}
