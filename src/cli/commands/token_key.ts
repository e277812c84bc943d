/** `climax token key`: makes a key that instances of a server share. */

import { ExitCode, UsageError } from "../../errors.ts";
import { say } from "../../log.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { print } from "../output.ts";
import { addSecret } from "../secret_file.ts";

export function define(command: Command) {
  return command
    .description("Make a key for `climax run --http --state URL --signing-key FILE`")
    .option(
      "--file <file>",
      "add it to this file, which only you can read, instead of printing it",
    );
}

export const examples: readonly Example[] = [
  ["token key --file signing.key", "make the file that all instances share"],
];

export async function run(...[{ file }]: CommandArguments<typeof define>) {
  const { keyLines, maxKeys, newKey } = await import("../../state/keyring.ts");
  const key = newKey();
  if (file === undefined) {
    await print(key);
    return ExitCode.ok;
  }
  let count = 0;
  await addSecret(file, "No key was made", (before) => {
    count = keyLines(before).length;
    if (count < maxKeys) return key;
    throw new UsageError(
      `${file} has ${count} keys already`,
      "Remove the line of the oldest first",
    );
  });
  say(count === 0 ? `${file} has a key` : `${file} has a second key: the first one still signs`);
  return ExitCode.ok;
}
