/** `climax script new`: writes a kept script to start from, with a test that needs no program. */

import { join } from "node:path";
import { ExitCode } from "../../errors.ts";
import { createFile, makeFolder, requireWrite } from "../../files/write_file.ts";
import { projectScripts } from "../../sources/scripts/kept_folders.ts";
import { accept, trustFile } from "../../trust/accepted.ts";
import { isScriptName } from "../../sources/scripts/kept_files.ts";
import { sha256 } from "../../text/hash.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { notAName, testFile } from "../script_file.ts";
import { printText } from "../output.ts";
import { asTyped } from "../messages.ts";
import firstTest from "../../setup/first_script.recording.json" with { type: "text" };
import firstScript from "../../setup/first_script.txt" with { type: "text" };

export function define(command: Command) {
  return command
    .description(`Write a script to start from, with a test, into ${projectScripts} of this folder`)
    .argument("<name>", "what to call it, and the tool that it is");
}

export const examples: readonly Example[] = [
  ["script new changes", `write ${projectScripts}/changes.js, a tool called changes`],
];

/** Writes the files, which must not exist yet, and accepts the script: the person who writes it here has seen it. */
export async function run(...[name]: CommandArguments<typeof define>) {
  if (!isScriptName(name)) throw notAName(name);
  const file = join(projectScripts, `${name}.js`);
  const test = testFile(file, "two");
  await write(file, firstScript);
  await write(test, firstTest);
  if (trustFile() !== undefined) {
    await accept({ kind: "script", path: file, sha256: sha256(firstScript) });
  }
  await printText(`${file} and ${test} are written`);
  const next = `edit it, then climax script test ${name}, and climax script accept ${name}`;
  await printText(asTyped(`Next: ${next}`));
  return ExitCode.ok;
}

async function write(file: string, text: string): Promise<void> {
  await requireWrite(file, "Nothing more was written", async () => {
    await makeFolder(file, { root: "." });
    await createFile(file, text);
  });
}
