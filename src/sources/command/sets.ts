/** Names that stand for several bundled configs: `climax run @dev`. */

import { bundledNames } from "./bundled_names.ts";

export const configSets: ReadonlyMap<string, readonly string[]> = new Map([
  // For most work on source code
  ["@dev", ["git", "gh", "ripgrep", "fd", "files", "jq", "curl", "docker", "docker-compose"]],
  // By category, as in configs/README.md
  ["@ai", ["claude", "codex", "gemini"]],
  ["@cloud", ["aws", "gcloud", "terraform"]],
  ["@containers", ["docker", "docker-compose", "kubectl"]],
  ["@data", ["jq", "psql", "sqlite3", "yq"]],
  ["@documents", ["obsidian", "pandoc"]],
  ["@files", ["coreutils", "fd", "files", "ripgrep"]],
  ["@media", ["ffmpeg", "ffprobe"]],
  ["@packages", ["cargo", "deno", "go", "just", "make", "npm", "pip", "python", "uv"]],
  ["@system", ["journalctl", "processes", "systemctl"]],
  ["@vcs", ["gh", "git"]],
]);

export function isBundled(spec: string): boolean {
  return bundledNames.has(spec) || configSets.has(spec);
}

/** Replaces each set in `specs` with its configs. */
export function withoutSets<Spec>(specs: readonly Spec[]): readonly (Spec | string)[] {
  return specs.flatMap((spec): readonly (Spec | string)[] => {
    return typeof spec === "string" ? configSets.get(spec) ?? [spec] : [spec];
  });
}
