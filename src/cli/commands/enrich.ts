/** `climax enrich`: a language model writes requests that tools answer, for search to find them by. */

import type { Command, CommandArguments, Example } from "../command.ts";
import { configsHelp, requireSource, withToolOptions } from "../config_words.ts";
import { projectFileWords, timeoutOption } from "../options.ts";

export function define(command: Command) {
  return withToolOptions(
    command
      .description(
        "Have a language model write requests that each tool answers, for search to find it by",
      )
      .argument("[config...]", configsHelp),
  )
    .option("--project <file>", `whose llmProvider is asked (default: ${projectFileWords})`)
    .option("--dry-run", "print the prompts and what they cost, and ask nothing")
    .addOption(timeoutOption("seconds that the language model may take for each prompt", 120));
}

export const examples: readonly Example[] = [
  ["enrich git ./my.yaml --dry-run", "print what would be sent, and about how many tokens it is"],
  ["enrich --mcp climax.json", "write climax.examples.yaml for the tools of MCP servers"],
];

export async function run(...[named, options]: CommandArguments<typeof define>) {
  const configs = requireSource(options.mcp, named, options.config);
  const { enrichTools } = await import("../enrich_tools.ts");
  return await enrichTools({ ...options, configs });
}
