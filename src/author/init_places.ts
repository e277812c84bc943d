/** Where MCP clients keep the servers that people gave them. */

import { join } from "node:path";
import { optionalVariable } from "../process/environment.ts";

/** The clients whose files are read, by the names that `--agent` takes. */
export const clientNames = [
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "windsurf",
  "codex",
  "gemini",
] as const;

/** One of {@linkcode clientNames}. */
export type ClientName = typeof clientNames[number];

/** A file that a client may keep its servers in. */
export interface Place {
  readonly client: ClientName;
  readonly path: string;
  readonly format: "json" | "toml";
}

/** Every place for the project in `folder`, those of the project first. */
export function placesFor(folder: string): Place[] {
  const home = optionalVariable("HOME") || optionalVariable("USERPROFILE");
  const own = [
    place("claude-code", join(folder, ".mcp.json")),
    place("cursor", join(folder, ".cursor", "mcp.json")),
    place("vscode", join(folder, ".vscode", "mcp.json")),
    place("codex", join(folder, ".codex", "config.toml")),
    place("gemini", join(folder, ".gemini", "settings.json")),
  ];
  if (!home) return own;
  const settings = settingsFolder(home);
  return [
    ...own,
    place("claude-code", join(home, ".claude.json")),
    place("claude-desktop", join(settings, "Claude", "claude_desktop_config.json")),
    place("cursor", join(home, ".cursor", "mcp.json")),
    place("vscode", join(settings, "Code", "User", "mcp.json")),
    place("windsurf", join(home, ".codeium", "windsurf", "mcp_config.json")),
    place("codex", join(home, ".codex", "config.toml")),
    place("gemini", join(home, ".gemini", "settings.json")),
  ];
}

function place(client: ClientName, path: string): Place {
  return { client, path, format: path.endsWith(".toml") ? "toml" : "json" };
}

function settingsFolder(home: string): string {
  switch (Deno.build.os) {
    case "darwin":
      return join(home, "Library", "Application Support");
    case "windows":
      return optionalVariable("APPDATA") || join(home, "AppData", "Roaming");
    default:
      return optionalVariable("XDG_CONFIG_HOME") || join(home, ".config");
  }
}
