/** `climax new`: a config of one's own to start from, where its name alone finds it. */

import { dirname, join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { ClimaxError, ExitCode, messageOf, UsageError } from "../../errors.ts";
import {
  isConfigName,
  personalConfigs,
  projectConfigs,
} from "../../sources/command/own_configs.ts";
import { acceptConfig, acceptedConfigsFile } from "../../sources/command/accepted_configs.ts";
import { bundledConfigs } from "../../sources/command/bundled.ts";
import { commands, type Example, type Words } from "../commands.ts";
import { label } from "../colour.ts";
import { print } from "../output.ts";

/** The words of `climax new`. */
export function grammar(command: Command) {
  return command
    .description("Write a config to start from, which its name finds from then on")
    .argument("<name>", "what to call it; the program's name, at best")
    .option("--project", `in ${projectConfigs} of this folder, for all who work here`);
}

export const examples: readonly Example[] = [
  ["new jq", "write jq.yaml among your own configs"],
  ["new deploy --project", `write ${projectConfigs}/deploy.yaml`],
];

/** Writes the file, which must not be there yet. */
export async function action(...[name, options]: Words<typeof grammar>): Promise<ExitCode> {
  if (!isConfigName(name)) {
    throw new UsageError(
      `A config cannot be called '${name}'`,
      "Letters, digits, '_', '-' and '.', the first a letter or a digit, 64 at most",
    );
  }
  if (commands.has(name)) {
    throw new UsageError(
      `A config cannot be called '${name}'`,
      "It is a command of climax: choose another name",
    );
  }
  const folder = options.project ? projectConfigs : personalConfigs();
  if (folder === undefined) throw new UsageError("Your home folder is not known", "Set HOME");
  const file = join(folder, `${name}.yaml`);
  const { newConfig } = await import("../../author/new_config.ts");
  const { withSchemaLine } = await import("../../author/schema_files.ts");
  await write(file, await withSchemaLine("config", newConfig(name)));
  await print(`${file} is written`);
  if (bundledConfigs.has(name)) {
    await print(`${label("note", "stdout")} It hides the bundled config '${name}'`);
  }
  // Whoever writes it here has seen it
  const accepted = options.project ? acceptedConfigsFile() : undefined;
  if (accepted !== undefined) await acceptConfig(file, accepted);
  await print(`Next: edit it, then climax validate ${name}`);
  return ExitCode.ok;
}

async function write(file: string, text: string): Promise<void> {
  try {
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, text, { createNew: true });
  } catch (error) {
    const problem = error instanceof Deno.errors.AlreadyExists
      ? { file, message: "The file is there already", hint: "Edit it, or remove it first" }
      : { file, message: `The file cannot be written: ${messageOf(error)}` };
    throw new ClimaxError("Nothing was written", ExitCode.file, [problem]);
  }
}
