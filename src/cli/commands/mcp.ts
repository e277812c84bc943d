/** `climax mcp`: serves the groups of a project as sub-agents. */

import { defaultBudget } from "../../agents/request.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { callsOf, numberOption, projectFileWords, shared, timeoutOption } from "../options.ts";

export function define(command: Command) {
  return command
    .description("Serve the groups of a project as sub-agents, each a tool, over stdin and stdout")
    .argument("[config]", `the project's config (default: ${projectFileWords})`)
    .addOption(
      numberOption("--max-steps <number>", "maximum model responses per request", 1)
        .default(defaultBudget.maxSteps),
    )
    .addOption(
      numberOption("--max-tokens <number>", "maximum tokens, in and out, per request", 1)
        .default(defaultBudget.maxTokens),
    )
    .addOption(timeoutOption("seconds a request may take", defaultBudget.timeoutMs / 1000))
    .option("--trace <directory>", "write a file there for each request, with every step")
    .addOption(shared.results())
    .addOption(shared.policy())
    .addOption(shared.sandbox())
    .addOption(shared.strict())
    .addOption(shared.audit())
    .addOption(shared.concurrency())
    .addOption(shared.killTimeout())
    .addOption(shared.maxOutput())
    .addOption(shared.maxResultTokens())
    .addOption(shared.keepAnsi())
    .addOption(shared.logLevel());
}

export const examples: readonly Example[] = [
  ["mcp", "serve the groups that climax build has made"],
  ["mcp --max-steps 20 --trace traces", "let them work longer, and see what they do"],
  ["mcp --policy read-only.yaml --audit calls.jsonl", "apply a policy to their tools"],
];

export async function run(...[config, options]: CommandArguments<typeof define>) {
  const { maxSteps, maxTokens, timeout, trace, policy, sandbox, strict, audit } = options;
  const { serveProject } = await import("../serve_project.ts");
  return await serveProject(config, {
    budget: { maxSteps, maxTokens, timeoutMs: timeout * 1000 },
    trace,
    session: { policy, sandbox, strict, audit, calls: callsOf(options), results: options.results },
  });
}
