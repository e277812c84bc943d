/** `climax search`: prints what an agent would find. */

import { type Command, Option } from "@commander-js/extra-typings";
import type { SearchRequest } from "../../catalog/tool_index.ts";
import { ExitCode } from "../../errors.ts";
import { say } from "../../log.ts";
import { visible } from "../../text/escape.ts";
import { featureKinds } from "../../tool/feature.ts";
import { examplesHere } from "../local_examples.ts";
import type { CommandArguments, Example } from "../command.ts";
import { configOption, inFrontOfDashes, orBundledWithout } from "../config_words.ts";
import {
  jsonOption,
  mcpOption,
  policyOption,
  resultsOption,
  strictOption,
  wholeNumber,
} from "../options.ts";
import { label } from "../colour.ts";
import { print, printJson, printTable } from "../output.ts";
import { waiting } from "../progress_line.ts";

export function define(command: Command) {
  return command
    .description("Search tools as an agent would with climax_search")
    .argument("[query...]", "what to look for, after configs and --; without it, a summary")
    .addOption(configOption())
    .addOption(mcpOption())
    .addOption(policyOption())
    .addOption(strictOption())
    .option("--category <name>", "only tools of this category")
    .option("--cli <name>", "only tools of this CLI")
    .addOption(
      new Option("--kind <kind>", "prompts or resources of MCP servers instead of tools")
        .choices(featureKinds),
    )
    .option("--limit <number>", "how many results at most", wholeNumber("--limit", 1))
    .addOption(resultsOption())
    .addOption(jsonOption());
}

export const examples: readonly Example[] = [
  ["search undo a commit", "search the bundled configs"],
  ["search git ./my.yaml -- undo a commit", "search two configs"],
  ["search", "sum up the bundled configs, as an agent sees them first"],
];

/** Prints the results of a search; an empty result is not a failure. */
export async function run(
  ...[words, options, behind]: CommandArguments<typeof define>
): Promise<ExitCode> {
  const { config, mcp, policy, strict, category, cli, kind, limit, json = false } = options;
  const { configs, others: query } = inFrontOfDashes(words, behind);
  const { openSession } = await import("../../session/session.ts");
  const { answer, answerOfKind, hintOf, isEmpty } = await import("../../catalog/answer.ts");
  const { formatAnswer } = await import("../../catalog/compact.ts");
  await using session = await openSession({
    configs: orBundledWithout(mcp, configs, config),
    mcp,
    policy,
    strict,
    examples: await examplesHere(),
  });
  const index = kind === undefined ? session.index : session.index.ofKind(kind);
  const request: SearchRequest = {
    ...(query.length === 0 ? {} : { query: query.join(" ") }),
    ...(category === undefined ? {} : { category }),
    ...(cli === undefined ? {} : { cli }),
    ...(limit === undefined ? {} : { limit }),
  };
  if (request.query) await waiting("embedding the tools", () => session.searchByMeaning());
  const found = kind === undefined
    ? await answer(index, request)
    : await answerOfKind(index, request);
  if (options.results !== undefined) {
    await print(formatAnswer(index, request, found, options.results));
  } else if (json) {
    await printJson(found, 0);
  } else if (found.mode === "summary") {
    const rows = found.summary.map(({ name, tool_count, category, description }) => {
      return [name, String(tool_count), category ?? "", description];
    });
    await printTable(["CLI", "TOOLS", "CATEGORY", "DESCRIPTION"], rows);
  } else if (isEmpty(found)) {
    await print(`No ${kind ?? "tool"} matches`);
  } else {
    const rows = found.results.map(({ tool_name, cli_name, description }) => {
      return [tool_name, cli_name, description];
    });
    await printTable([(kind ?? "tool").toUpperCase(), "CLI", "DESCRIPTION"], rows);
  }
  const hint = isEmpty(found) ? hintOf(index, request) : undefined;
  for (const line of hint?.split("\n") ?? []) say(`  ${label("hint", "stderr")} ${visible(line)}`);
  return ExitCode.ok;
}
