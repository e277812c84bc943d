/** `climax enrich`: a language model writes requests that tools answer, for search to find them by. */

import type { Command } from "@commander-js/extra-typings";
import type { ExitCode } from "../../errors.ts";
import type { CommandArguments, Example } from "../command.ts";
import { configsHelp, requireSource } from "../config_words.ts";
import { maxSeconds, projectFileWords, shared, wholeNumber } from "../options.ts";

export function define(command: Command) {
  return command
    .description(
      "Have a language model write requests that each tool answers, for search to find it by",
    )
    .argument("[config...]", configsHelp)
    .addOption(shared.config())
    .addOption(shared.mcp())
    .option("--project <file>", `whose llmProvider is asked (default: ${projectFileWords})`)
    .option("--dry-run", "print the prompts and what they cost, and ask nothing")
    .option(
      "--timeout <seconds>",
      "seconds that the language model may take for each prompt",
      wholeNumber("--timeout", 1, maxSeconds),
      120,
    )
    .addOption(shared.policy())
    .addOption(shared.sandbox())
    .addOption(shared.strict());
}

export const examples: readonly Example[] = [
  ["enrich git ./my.yaml --dry-run", "print what would be sent, and about how many tokens it is"],
  ["enrich --mcp climax.json", "write climax.examples.yaml for the tools of MCP servers"],
];

/** Writes requests for the tools that have none as they are now. */
export async function run(
  ...[named, options]: CommandArguments<typeof define>
): Promise<ExitCode> {
  const configs = requireSource(options.mcp, named, options.config);
  const { enrichTools } = await import("../enrich_tools.ts");
  return await enrichTools({ ...options, configs });
}
