/** `climax token new`: makes a bearer token for serving over HTTP, and shows it once. */

import { ExitCode, UsageError } from "../../errors.ts";
import { say } from "../../log.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { listOption } from "../options.ts";
import { print } from "../output.ts";
import { addSecret } from "../secret_file.ts";

export function define(command: Command) {
  return command
    .description("Make a bearer token for `climax run --http --tokens FILE`; it is shown once")
    .argument("<name>", "name of its holder, for the audit log and --clients")
    .option("--file <file>", "append its line to this file, so that it is accepted")
    .addOption(listOption("--scope <scope>", "a scope that its holder has (repeatable)"));
}

export const examples: readonly Example[] = [
  ["token new ada --file tokens.txt", "print a token, and accept it"],
];

export async function run(...[name, options]: CommandArguments<typeof define>) {
  const { file, scope: scopes = [] } = options;
  const { isName, newToken } = await import("../../server/http/tokens.ts");
  if (!isName(name)) {
    const hint =
      "A name has up to 64 letters, digits, '.', '_', '@' and '-', and a letter or digit first";
    throw new UsageError(`Not a name for a token: '${name}'`, hint);
  }
  const odd = scopes.find((scope) => !/^[\x21\x24-\x5b\x5d-\x7e]+$/.test(scope));
  if (odd !== undefined) {
    throw new UsageError(
      `Not a scope: '${odd}'`,
      `A scope has no spaces, no quotes and no '\\', and none of its characters is beyond ASCII`,
    );
  }
  const { token, line } = await newToken(name, scopes);
  if (file !== undefined) await append(file, line);
  await print(token);
  say(
    file === undefined
      ? `To accept it, add this line to the file of --tokens:\n${line}`
      : `Accepted by ${file}`,
  );
  return ExitCode.ok;
}

async function append(file: string, line: string): Promise<void> {
  const [name] = line.split(" ");
  await addSecret(file, "No token was made", (before) => {
    if (before.split("\n").every((each) => each.trim().split(/\s+/)[0] !== name)) return line;
    throw new UsageError(`${file} has a token of '${name}' already`, "Remove its line first");
  });
}
