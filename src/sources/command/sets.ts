/** Names that stand for several bundled configs: `climax run @dev`. */

import { bundledConfigs } from "./bundled.ts";

/** The bundled configs behind each name. */
export const configSets: ReadonlyMap<string, readonly string[]> = new Map([
  // What most work on source code takes
  ["@dev", ["git", "gh", "ripgrep", "fd", "files", "jq", "curl", "docker", "docker-compose"]],
  // By category, as configs/README.md has them
  ["@ai", ["claude", "codex", "gemini"]],
  ["@cloud", ["aws", "gcloud", "terraform"]],
  ["@containers", ["docker", "docker-compose", "kubectl"]],
  ["@data", ["jq", "psql", "sqlite3"]],
  ["@documents", ["obsidian", "pandoc"]],
  ["@files", ["coreutils", "fd", "files", "ripgrep"]],
  ["@media", ["ffmpeg", "ffprobe"]],
  ["@packages", ["cargo", "deno", "npm", "pip", "uv"]],
  ["@system", ["journalctl", "systemctl"]],
  ["@vcs", ["gh", "git"]],
]);

/** Whether `spec` is the name of a bundled config or of a set of them. */
export function isBundled(spec: string): boolean {
  return bundledConfigs.has(spec) || configSets.has(spec);
}

/** `specs` with each set in the place of its name. */
export function withoutSets<Spec>(specs: readonly Spec[]): readonly (Spec | string)[] {
  return specs.flatMap((spec): readonly (Spec | string)[] => {
    return typeof spec === "string" ? configSets.get(spec) ?? [spec] : [spec];
  });
}
