/** `climax show`: prints the YAML of a config, to learn from or to copy. */

import { ExitCode, loadError } from "../../errors.ts";
import { locateConfig } from "../../sources/command/locate.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { print } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Print the YAML of a config, bundled or your own")
    .argument("<config>", "its name");
}

export const examples: readonly Example[] = [
  ["show jq", "print what comes with climax, as an example"],
  ["show git", "print the largest"],
];

export async function run(...[name]: CommandArguments<typeof define>) {
  const found = await locateConfig(name);
  if (!("text" in found)) throw loadError([found]);
  await print(found.text.trimEnd());
  return ExitCode.ok;
}
