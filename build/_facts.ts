/** Facts that every file of a release states. Name and version are in `deno.json`. */

import manifest from "../deno.json" with { type: "json" };
import { v8Flags } from "../src/process/own_command.ts";

/** One line on the program, for the lists of package managers. */
export const description = "Make command-line programs usable by AI agents, over MCP";

/** The publisher, in the words of package managers. */
export const author = "The climax authors";

/** The version of Deno that releases are made with and run on: the one they were tested with. */
export const denoVersion = "2.9.6";

/** The permissions of the program: those that the task `bundle` gives. */
export const programPermissions: readonly string[] = manifest.tasks.bundle.command
  .split("build/portable.ts ")[1]!.split(" ");

/** The flags of `deno run` for the portable form. */
export const runFlags: readonly string[] = [
  ...["--no-config", "--no-prompt", "--no-remote", "--no-npm", v8Flags],
  ...programPermissions,
];

/** The words that start the npm package of this version: those of links, plugins and the registry. */
export const npxWords: readonly string[] = ["npx", "-y", `${manifest.name}@${manifest.version}`];
