/** The names of the configs that come with the program: most starts need the text of one of them, or of none. */

/** In alphabetical order. */
export const bundledNames: ReadonlySet<string> = new Set([
  ...["archives", "aws", "cargo", "claude", "codex", "coreutils", "curl", "deno", "docker"],
  ...["docker-compose", "fd", "ffmpeg", "ffprobe", "files", "files-write", "gcloud", "gemini"],
  ...["gh", "git", "go", "journalctl", "jq", "just", "kubectl", "make", "npm", "obsidian"],
  ...["pandoc", "pip", "processes", "psql", "python", "ripgrep", "sqlite3", "systemctl"],
  ...["terraform", "uv", "yq"],
]);
