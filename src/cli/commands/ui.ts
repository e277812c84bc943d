/** `climax ui`: serves a page with the catalogue, the audit log and the policy on this machine. */

import type { Command, CommandArguments, Example } from "../command.ts";
import { configsHelp, sessionOf, withToolOptions } from "../config_words.ts";
import { callsOf, shared, storeOptions } from "../options.ts";

export function define(command: Command) {
  return withToolOptions(
    command
      .description("Open a local page: search, forms to try tools, calls, policy, costs")
      .argument("[config...]", `${configsHelp} (default: all bundled and your own)`),
  )
    .addOption(shared.audit())
    .addOption(storeOptions.state())
    .addOption(storeOptions.signingKey())
    .option("--no-open", "print the address without opening a browser")
    .addOption(shared.concurrency())
    .addOption(shared.killTimeout())
    .addOption(shared.maxOutput())
    .addOption(shared.keepAnsi())
    .addOption(shared.logLevel());
}

export const examples: readonly Example[] = [
  ["ui git docker", "look at two bundled configs and try their tools"],
  ["ui --policy policy.yaml --audit calls.jsonl", "see what a policy decides and what was called"],
];

export async function run(...[configs, options]: CommandArguments<typeof define>) {
  const { audit, open, state, signingKey } = options;
  const { serveUiOf } = await import("../serve_ui.ts");
  return await serveUiOf({
    ...await sessionOf(options, configs),
    ...{ audit, state, signingKey },
    // A person may read the whole result
    calls: callsOf({ ...options, maxResultTokens: 0 }),
    opens: open,
  });
}
