/** `climax script new`: writes a kept script to start from. */

import { join } from "node:path";
import { ExitCode } from "../../errors.ts";
import { createFile, makeFolder, requireWrite } from "../../files/write_file.ts";
import { isScriptName, projectScripts } from "../../sources/scripts/kept_files.ts";
import { accept, trustFile } from "../../trust/accepted.ts";
import { sha256 } from "../../text/hash.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { notAName } from "../script_file.ts";
import { printText } from "../output.ts";
import { asTyped } from "../messages.ts";
import firstScript from "../../setup/first_script.txt" with { type: "text" };

export function define(command: Command) {
  return command
    .description(`Write a script to start from into ${projectScripts} of this folder`)
    .argument("<name>", "what to call it, and the tool that it is");
}

export const examples: readonly Example[] = [
  ["script new changes", `write ${projectScripts}/changes.js, a tool called changes`],
];

/** Writes the file, which must not exist yet, and accepts the script: the person who writes it here has seen it. */
export async function run(...[name]: CommandArguments<typeof define>) {
  if (!isScriptName(name)) throw notAName(name);
  const file = join(projectScripts, `${name}.js`);
  await requireWrite(file, "Nothing was written", async () => {
    await makeFolder(file, { root: "." });
    await createFile(file, firstScript);
  });
  if (trustFile() !== undefined) {
    await accept({ kind: "script", path: file, sha256: sha256(firstScript) });
  }
  await printText(`${file} is written`);
  const next = `edit it, then climax script check ${name}, and climax script accept ${name}`;
  await printText(asTyped(`Next: ${next}`));
  return ExitCode.ok;
}
