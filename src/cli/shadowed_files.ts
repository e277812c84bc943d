/** Warns when a config name hides a local file: a word without `/` and ending is always a name. */

import { note } from "../log.ts";
import { fileBeside, isConfigPath } from "../sources/command/locate.ts";
import { ownConfig } from "../sources/command/own_configs.ts";
import { isBundled } from "../sources/command/bundled.ts";
import { label } from "./messages.ts";

/** Says on stderr which of `configs` are names although a local file could be meant. */
export async function noteFilesBeside(configs: readonly string[]): Promise<void> {
  for (const name of new Set(configs)) {
    const file = isConfigPath(name) ? undefined : await fileBeside(name);
    if (file === undefined) continue;
    const { files: [own] } = await ownConfig(name);
    // A config that is not found has its own hint
    if (own === undefined && !isBundled(name)) continue;
    note(
      `${label("note", "stderr")} '${name}' is ${own ?? "the bundled config"}; ` +
        `the file beside you is ./${file}`,
    );
  }
}
