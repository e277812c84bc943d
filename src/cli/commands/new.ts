/** `climax new`: writes a first config into a folder where it is found by its name alone. */

import { join } from "node:path";
import { isDeviceName } from "../../files/windows_names.ts";
import { createFile, makeFolder, requireWrite } from "../../files/write_file.ts";
import { ClimaxError, ExitCode, UsageError } from "../../errors.ts";
import {
  configThing,
  isConfigName,
  personalConfigs,
  projectConfigs,
} from "../../sources/command/own_configs.ts";
import { accept } from "../../trust/accepted.ts";
import { bundledConfigs } from "../../sources/command/bundled.ts";
import { isConfigPath } from "../../sources/command/locate.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { printNote, printText } from "../output.ts";
import firstConfig from "../../setup/first_config.yaml" with { type: "text" };
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  return command
    .description(
      "Write a config to start from, found by its name from then on; a copy, if one is bundled",
    )
    .argument("<name>", "name of the config, ideally that of the program")
    .option("--project", `in ${projectConfigs} of this folder, for all who work here`);
}

export const examples: readonly Example[] = [
  ["new todo", "write todo.yaml among your own configs"],
  ["new jq", "copy the bundled jq.yaml there, to change it"],
  ["new deploy --project", `write ${projectConfigs}/deploy.yaml`],
];

export async function run(...[name, options, , { commands }]: CommandArguments<typeof define>) {
  const reason = refusalReason(name) ??
    (commands.has(name) ? "It is a command of climax: choose another name" : undefined);
  if (reason !== undefined) throw new UsageError(`A config cannot be called '${name}'`, reason);
  const folder = options.project ? projectConfigs : personalConfigs();
  if (folder === undefined) throw new UsageError("Your home folder is not known", "Set HOME");
  const file = join(folder, `${name}.yaml`);
  const bundled = bundledConfigs.get(name)?.().replace(/^# yaml-language-server:.*\n/, "");
  const { withSchemaLine } = await import("../../setup/json_schemas.ts");
  const text = await withSchemaLine("config", file, bundled ?? newConfig(name, !options.project));
  await requireWrite(file, "Nothing was written", async () => {
    await makeFolder(file, { root: options.project ? "." : undefined });
    await createFile(file, text);
  });
  await printText(`Wrote ${file}`);
  // The person creates this text here, so it is accepted at once
  const isUsed = !options.project || await tryAccept(file, text);
  if (bundled !== undefined) {
    const what = isUsed
      ? `It is a copy of the bundled config '${name}', which it hides`
      : `The bundled config '${name}' is used until this one is accepted`;
    await printNote(what);
  }
  const trust = options.project ? `, and ${climax()} trust --project ${name}` : "";
  await printText(`Next: edit it, then ${climax()} validate ${name}${trust}`);
  return ExitCode.ok;
}

async function tryAccept(file: string, text: string): Promise<boolean> {
  try {
    await accept(await configThing(file, text));
    return true;
  } catch (error) {
    if (error instanceof ClimaxError) return false;
    throw error;
  }
}

function newConfig(name: string, own: boolean): string {
  const tool = name.replace(/[^A-Za-z0-9]+/g, "_").toLowerCase();
  const text = firstConfig.replaceAll(/NAME|TOOL/g, (word) => word === "NAME" ? name : tool);
  // The file is shared with people who may have installed climax elsewhere, so it names climax without a path
  return own ? text.replaceAll(/(?<=^#.*: +)climax(?= )/gm, climax(true)) : text;
}

function refusalReason(name: string): string | undefined {
  if (!isConfigName(name)) {
    return "Letters, digits, '_', '-' and '.', the first a letter or a digit, 64 at most";
  }
  if (isConfigPath(name)) {
    return `A word with that ending is a file: ${climax()} new ${name.replace(/\.ya?ml$/i, "")}`;
  }
  if (isDeviceName(name)) return "Windows keeps that name for a device: choose another one";
  return undefined;
}
