/** `climax stats`: estimates the tokens that a catalogue costs an agent in discovery mode and in classic mode. */

import { ExitCode } from "../../errors.ts";
import { plural, thousands } from "../../text/plural.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { configsHelp, sessionOf } from "../config_words.ts";
import { toolOptions, withOptions } from "../options.ts";
import { printJson, printTable, printText } from "../output.ts";
import { showWaiting } from "../progress_line.ts";
import type { tokenCosts } from "../token_costs.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description(
        "Count the tokens that tools cost an agent, and when the two-tool mode is cheaper",
      )
      .argument("[config...]", `${configsHelp} (default: all bundled and your own)`),
    ...toolOptions,
    "json",
  );
}

export const examples: readonly Example[] = [["stats git", "count for one config"]];

export async function run(...[configs, options]: CommandArguments<typeof define>) {
  const { openSession } = await import("../../session/session.ts");
  await using session = await openSession(await sessionOf(options, configs));
  const costs = await showWaiting("counting tokens", async () => {
    const { tokenCosts } = await import("../token_costs.ts");
    return await tokenCosts(session);
  });
  if (options.json) await printJson(costs);
  else await describe(costs);
  return ExitCode.ok;
}

async function describe(costs: Awaited<ReturnType<typeof tokenCosts>>): Promise<void> {
  const { pays_from: from } = costs;
  const rows = [
    ["tools/list, discovery", costs.discovery_list],
    [`tools/list, classic (${plural(costs.tools, "tool")})`, costs.classic_list],
    ["summary", costs.summary],
    ["search answer, median", costs.search_median],
    ["search answer, largest", costs.search_largest],
    ["summary, compact", costs.summary_compact],
    ["search answer, compact, median", costs.search_median_compact],
    ["search answer, compact, largest", costs.search_largest_compact],
  ].map(([what, count]) => [String(what), thousands(Number(count))]);
  await printTable(["WHAT AN AGENT READS", "TOKENS (ABOUT)"], rows);
  await printText(["", "Estimated, mostly 5 to 15 % above what a tokenizer (o200k) counts"]);
  if (from !== undefined) {
    await printText(`The two-tool mode is cheaper from ${plural(from, "tool")} upward`);
  }
}
