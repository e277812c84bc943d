/** The program in a project, with a home of its own. */

import { withHousehold } from "../../_fixtures.ts";
import type { Files } from "../../e2e/_scratch.ts";
import { climax, type RunSettings } from "./_climax.ts";

export interface Home {
  /** Runs `climax` in the project, perhaps with variables of its own. */
  run(...args: (string | Pick<RunSettings, "env">)[]): ReturnType<typeof climax>;
  /** Returns the text of a file of the project. */
  read(file: string): Promise<string>;
  /** A path below the folder that has `home` and `project`. */
  path(...parts: string[]): string;
  readonly env: Readonly<Record<string, string>>;
}

/** Calls `use` with a home and a project that have `files`, by paths that begin with `home/` and `project/`. */
export async function withHome(
  files: Files,
  use: (home: Home) => Promise<void>,
): Promise<void> {
  await withHousehold(files, async ({ path }) => {
    const env = {
      ...{ HOME: path("home"), USERPROFILE: path("home") },
      APPDATA: path("home", "AppData", "Roaming"),
      XDG_CONFIG_HOME: path("home", ".config"),
      CLIMAX_CACHE_DIR: path("cache"),
      ...{ CODEX_HOME: "", CLINE_MCP_SETTINGS_PATH: "", CLINE_DATA_DIR: "", CLINE_DIR: "" },
    };
    const run: Home["run"] = (...given) => {
      const args = given.filter((each) => typeof each === "string");
      const more = given.find((each) => typeof each === "object")?.env;
      return climax(args, { cwd: path("project"), env: { ...env, ...more } });
    };
    await use({ run, read: (file) => Deno.readTextFile(path("project", file)), path, env });
  });
}
