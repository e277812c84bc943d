/** `climax ui`: serves a page with the catalogue, the audit log and the policy on this machine. */

import type { Command } from "@commander-js/extra-typings";
import type { ExitCode } from "../../errors.ts";
import { setLogLevel } from "../../log.ts";
import type { CommandArguments, Example } from "../command.ts";
import { configOption, configsHelp, orAllWithout } from "../config_words.ts";
import {
  callsOf,
  concurrencyOption,
  keepAnsiOption,
  killTimeoutOption,
  maxOutputOption,
} from "../call_options.ts";
import {
  auditOption,
  logLevelOption,
  mcpOption,
  policyOption,
  sandboxOption,
  strictOption,
} from "../options.ts";

export function define(command: Command) {
  return command
    .description("Open a page of this machine: search, forms to try tools, calls, policy, costs")
    .argument("[config...]", `${configsHelp} (default: all bundled and your own)`)
    .addOption(configOption())
    .addOption(mcpOption())
    .addOption(policyOption())
    .addOption(sandboxOption())
    .addOption(strictOption())
    .addOption(auditOption())
    .option("--no-open", "print the address, and open no browser")
    .addOption(concurrencyOption())
    .addOption(killTimeoutOption())
    .addOption(maxOutputOption())
    .addOption(keepAnsiOption())
    .addOption(logLevelOption());
}

export const examples: readonly Example[] = [
  ["ui git docker", "look at two bundled configs and try their tools"],
  ["ui --policy policy.yaml --audit calls.jsonl", "see what a policy decides and what was called"],
];

/** Serves the page until the process is told to end. */
export async function run(
  ...[configs, options]: CommandArguments<typeof define>
): Promise<ExitCode> {
  const { config, mcp, policy, sandbox, strict, audit, open, logLevel } = options;
  setLogLevel(logLevel);
  const { serveUiOf } = await import("../serve_ui.ts");
  return await serveUiOf({
    ...await orAllWithout(mcp, configs, config),
    mcp,
    policy,
    sandbox,
    strict,
    audit,
    // A person may read the whole result
    calls: callsOf({ ...options, maxResultTokens: 0 }),
    opens: open,
  });
}
