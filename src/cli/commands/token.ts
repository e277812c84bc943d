/** `climax token new` and `climax token key`: secrets of clients and of instances for serving over HTTP. */

import { resolve } from "node:path";
import { ExitCode, UsageError } from "../../errors.ts";
import { textToReplace } from "../../files/text_file.ts";
import { withLock, writeWhole } from "../../files/write_file.ts";
import { io } from "../../io.ts";
import { say } from "../../log.ts";
import { contains } from "../../process/folders.ts";
import { command } from "../command.ts";
import { listOption } from "../options.ts";
import { print } from "../output.ts";

export const tokenNew = command({
  define: (command) =>
    command
      .description("Make a bearer token for run --http --tokens FILE; it is shown once")
      .argument("<name>", "name of its holder, for the audit log and --clients")
      .option("--file <file>", "append its line to this file, so that it is accepted")
      .addOption(listOption("--scope <scope>", "a scope that its holder has (repeatable)")),
  examples: [["token new ada --file tokens.txt", "print a token, and accept it"]],
  async run(name, { file, scope: scopes = [] }) {
    const { isName, newToken } = await import("../../server/http/tokens.ts");
    if (!isName(name)) {
      const hint =
        "A name has up to 64 letters, digits, '.', '_', '@' and '-', and a letter or digit first";
      throw new UsageError(`Not a name for a token: '${name}'`, hint);
    }
    const odd = scopes.find((scope) => !/^[\x21\x24-\x5b\x5d-\x7e]+$/.test(scope));
    if (odd !== undefined) {
      const hint = "A scope is ASCII without spaces, quotes and '\\'";
      throw new UsageError(`Not a scope: '${odd}'`, hint);
    }
    const { token, line } = await newToken(name, scopes);
    if (file !== undefined) {
      await addSecret(file, "No token was made", (before) => {
        if (before.split("\n").every((each) => each.trim().split(/\s+/)[0] !== name)) return line;
        throw new UsageError(`${file} has a token of '${name}' already`, "Remove its line first");
      });
    }
    await print(token);
    const words = `To accept it, add this line to the file of --tokens:\n${line}`;
    say(file === undefined ? words : `Accepted by ${file}`);
    return ExitCode.ok;
  },
});

export const tokenKey = command({
  define: (command) =>
    command
      .description("Make a key for run --http --state URL --signing-key FILE")
      .option("--file <file>", "add it to this file, which only you can read"),
  examples: [["token key --file signing.key", "make the file that all instances share"]],
  async run({ file }) {
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
      const hint = "Remove the line of the oldest first";
      throw new UsageError(`${file} has ${count} keys already`, hint);
    });
    say(count === 0 ? `${file} has a key` : `${file} has a second key: the first one still signs`);
    return ExitCode.ok;
  },
});

/** Adds a line with a secret to `file`. A new file is readable by its owner only. */
async function addSecret(file: string, failure: string, make: (before: string) => string) {
  await withLock(file, async () => {
    const before = await textToReplace(file, failure) ?? "";
    const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
    const root = io().cwd();
    await writeWhole(file, `${start}${make(before)}\n`, {
      ...(before === "" ? { mode: 0o600 } : {}),
      // The current folder may be a stranger's project with links, so writes inside of it must stay inside
      ...(contains(root, resolve(root, file)) ? { root } : {}),
    });
  });
}
