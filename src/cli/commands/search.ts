/** `climax search`: prints the tools that an agent would find. */

import { Command, Option } from "@commander-js/extra-typings";
import { io } from "../../io.ts";
import type { SearchAnswer } from "../../catalog/answer.ts";
import type { SearchRequest } from "../../catalog/search_request.ts";
import type { ToolTable } from "../../catalog/tool_table.ts";
import { ExitCode } from "../../errors.ts";
import { configProgramOf, programsOf } from "../../sources/command/program.ts";
import { visible } from "../../text/escape.ts";
import { featureKinds } from "../../tool/feature.ts";
import type { Tool } from "../../tool/tool.ts";
import { examplesHere } from "../project_file.ts";
import type { CommandArguments, Example } from "../command.ts";
import { inFrontOfDashes, sessionOf } from "../config_words.ts";
import { numberOption, toolOptions, withOptions } from "../options.ts";
import { print, printJson, printTable, sayHint } from "../output.ts";
import { showWaiting } from "../progress_line.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description("Search tools as an agent would with climax_search")
      .argument("[query...]", "what to look for, after configs and --; without it, a summary")
      .option("--category <name>", "only tools of this category")
      .option("--cli <name>", "only tools of this CLI")
      .addOption(
        new Option("--kind <kind>", "prompts or resources of MCP servers instead of tools")
          .choices(featureKinds),
      )
      .addOption(numberOption("--limit <number>", "maximum number of results", 1)),
    ...[...toolOptions, "results", "json"] as const,
  );
}

export const examples: readonly Example[] = [
  ["search undo a commit", "search the bundled configs and your own"],
  ["search git ./my.yaml -- undo a commit", "search two configs"],
  ["search", "sum up all programs, those that are installed first"],
];

export async function run(...[words, options, behind]: CommandArguments<typeof define>) {
  const { category, cli, kind, limit, json = false } = options;
  const { configs, others: query } = inFrontOfDashes(words, behind);
  const { openSession } = await import("../../session/session.ts");
  const { answer, answerNotes, isEmpty, nextSteps, weaknessOf } = await import(
    "../../catalog/answer.ts"
  );
  const { formatAnswer } = await import("../../catalog/compact.ts");
  const { toolIndexOf } = await import("../../catalog/tool_index.ts");
  await using session = await openSession({
    ...await sessionOf(options, configs),
    examples: await examplesHere(),
    preparesCalls: false,
  });
  const all = toolIndexOf(session.index);
  const index = kind === undefined ? all : all.ofKind(kind);
  const text = query.length === 0 ? undefined : query.join(" ");
  const isFiltered = [category, cli, kind].some((each) => each !== undefined);
  const isAll = text === undefined && !isFiltered && options.results === undefined && !json;
  const most = isAll ? index.summary().length : undefined;
  const request: SearchRequest = { query: text, category, cli, limit: limit ?? most };
  if (request.query) await showWaiting("embedding the tools", () => session.searchByMeaning());
  const found = await answer(index, request, kind !== undefined);
  if (options.results !== undefined) {
    await print(formatAnswer(index, request, found, options.results));
  } else if (json) {
    await printJson(found, io().stdout.isTerminal() ? 2 : 0);
  } else if (isEmpty(found)) {
    await print(`No ${kind ?? "tool"} matches`);
  } else {
    await printFound(found, kind ?? "tool", session.index);
  }
  const isCut = options.results !== "compact" && limit === undefined && !json;
  const shown = { isCut, what: kind ?? "tool", limit: "--limit" };
  const notes = await answerNotes(index, request, found, shown);
  const isWeak = !json && !isFiltered &&
    (isEmpty(found) || await weaknessOf(index, request) !== undefined);
  const hints = [...notes, ...isWeak ? [nextSteps()] : []].flatMap((text) => text.split("\n"));
  for (const line of hints.filter(Boolean)) sayHint(visible(line));
  return isEmpty(found) ? ExitCode.failure : ExitCode.ok;
}

async function printFound(
  found: SearchAnswer,
  what: string,
  table: Pick<ToolTable, "tools" | "get">,
) {
  const isSummary = found.mode === "summary";
  const shown = isSummary
    ? table.tools
    : found.results.flatMap((it) => table.get(it.tool_name) ?? []);
  const { missing } = programsOf(shown);
  const absence = (tools: readonly Tool[]) => {
    const isGone = (tool: Tool) => missing.includes(configProgramOf(tool)?.name ?? "");
    return tools.length > 0 && tools.every(isGone) ? " (not installed)" : "";
  };
  const rows = isSummary
    ? found.summary.map(({ name, tool_count, category, description }) => {
      const words = absence(table.tools.filter(({ owner }) => owner.name === name));
      return { words, row: [`${name}${words}`, String(tool_count), category ?? "", description] };
    })
    : found.results.map(({ tool_name: name, cli_name, description }) => {
      const words = absence(shown.filter((tool) => tool.name === name));
      return { words, row: [name, `${cli_name}${words}`, description] };
    });
  const inOrder = rows.toSorted((a, b) => a.words.length - b.words.length).map(({ row }) => row);
  const head = isSummary ? ["CLI", "TOOLS", "CATEGORY"] : [what.toUpperCase(), "CLI"];
  await printTable([...head, "DESCRIPTION"], inOrder);
}
