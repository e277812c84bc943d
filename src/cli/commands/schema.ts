/** `climax schema`: prints the JSON Schema by which editors complete and check a file. */

import { Argument, type Command } from "@commander-js/extra-typings";
import { schemaNames } from "../../setup/schema_files.ts";
import { ExitCode } from "../../errors.ts";
import type { CommandArguments, Example } from "../command.ts";
import { oneOf } from "../options.ts";
import { printJson } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Print the JSON Schema of configs, policies or a project's climax.json")
    .addArgument(
      new Argument("<file>", "which of them").choices(schemaNames)
        .argParser(oneOf("The file", schemaNames)),
    );
}

export const examples: readonly Example[] = [
  ["schema config", "print that of configs, for an editor"],
];

export async function run(...[name]: CommandArguments<typeof define>) {
  const { jsonSchema } = await import("../../setup/json_schemas.ts");
  await printJson(jsonSchema(name));
  return ExitCode.ok;
}
