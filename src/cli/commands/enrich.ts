/** `climax enrich`: a language model writes sample requests for each tool, by which search finds it. */

import type { Command, CommandArguments, Example } from "../command.ts";
import { configsHelp, requireSource } from "../config_words.ts";
import { projectFileWords, timeoutOption, toolOptions, withOptions } from "../options.ts";
import { type Batch, batchesFor, enrich, formatExamples } from "../../setup/enrich.ts";
import { readExamples, type WrittenExamples } from "../../catalog/written_examples.ts";
import { writeWhole } from "../../files/write_file.ts";
import { ClimaxError, ExitCode } from "../../errors.ts";
import { redact } from "../../agents/llm/credential.ts";
import { modelFailure, openModel } from "../../agents/llm/model.ts";
import { modelName } from "../../agents/llm/settings.ts";
import { askWithoutEcho } from "../ask.ts";
import { log, note, say } from "../../log.ts";
import { openSession, type SessionOptions } from "../../session/session.ts";
import { listNames } from "../../text/excerpt.ts";
import { plural } from "../../text/plural.ts";
import { estimateTokens } from "../../text/tokens.ts";
import { visible } from "../../text/escape.ts";
import { acceptExamples, examplesFile } from "../project_file.ts";
import { textToReplace } from "../../files/text_file.ts";
import { print } from "../output.ts";
import { openProject, type UsableModel, usableModel } from "../project.ts";
import { showWaiting } from "../progress_line.ts";
import { optionalVariable } from "../../io.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description(
        "Have a language model write requests that each tool answers, for search to find it by",
      )
      .argument("[config...]", configsHelp)
      .option("--project <file>", `whose llmProvider is asked (default: ${projectFileWords})`)
      .option("--dry-run", "print the prompts and their cost, and ask no model")
      .addOption(timeoutOption("seconds that the language model may take for each prompt", 120)),
    ...toolOptions,
  );
}

export const examples: readonly Example[] = [
  ["enrich git ./my.yaml --dry-run", "print what would be sent, and about how many tokens it is"],
  ["enrich --mcp climax.json", "write climax.examples.yaml for the tools of MCP servers"],
];

export async function run(...[named, flags]: CommandArguments<typeof define>) {
  const configs = requireSource(flags.mcp, named, flags.config);
  const { tools, batches, written } = await plan({ ...flags, configs });
  if (flags.dryRun) {
    for (const { instructions, prompt } of batches) {
      await print(`${instructions}\n${prompt.split("\n").map(visible).join("\n")}\n`);
    }
    say(costOf(batches));
    return ExitCode.ok;
  }
  if (batches.length === 0) {
    if (written.size > 0) await acceptExamples();
    note(`${plural(tools, "tool")}, all of them have their requests in ${examplesFile}`);
    return ExitCode.ok;
  }
  const project = await openProject(flags.project);
  const model = await usableModel(project, askWithoutEcho(), "Nothing was written");
  if (model === undefined) return ExitCode.failure;
  return await writeAll(batches, new Map(written), model, flags.timeout);
}

async function plan({ configs, mcp, policy, sandbox, strict }: SessionOptions) {
  const isThere = await textToReplace(examplesFile, "Nothing was written") !== undefined;
  const written: WrittenExamples = isThere ? await readExamples(examplesFile) : new Map();
  await using session = await openSession({
    ...{ configs, mcp, policy, sandbox, strict, askServers: true },
  });
  const { tools } = session.index;
  return { tools: tools.length, batches: batchesFor(tools, written), written };
}

async function writeAll(
  batches: readonly Batch[],
  written: Map<string, NonNullable<ReturnType<WrittenExamples["get"]>>>,
  { settings, credential }: UsableModel,
  timeout: number,
): Promise<ExitCode> {
  const name = modelName(settings);
  const model = await openModel(settings, credential, optionalVariable);
  const spent = { inputTokens: 0, outputTokens: 0 };
  const missed: string[] = [];
  let done = 0;
  await showWaiting(`asking ${name}`, async (tell) => {
    for (const [at, batch] of batches.entries()) {
      tell(`asking ${name}, ${at + 1} of ${plural(batches.length, "prompt")}`);
      const signal = AbortSignal.timeout(timeout * 1000);
      const answer = await enrich(batch, model, signal).catch((error) => {
        const message = signal.aborted
          ? `Model '${name}' took over ${timeout} s for one prompt`
          : redact(credential, modelFailure(error, name));
        const tools = plural(done, "tool");
        const hint = `${tools} written so far, run the same command again to continue`;
        const problem = { message, ...(done > 0 && { hint }) };
        throw new ClimaxError("Not all was written", ExitCode.failure, [problem]);
      });
      for (const [tool, entry] of answer.written) written.set(tool, entry);
      done += answer.written.size;
      spent.inputTokens += answer.inputTokens;
      spent.outputTokens += answer.outputTokens;
      missed.push(...batch.tools.map((tool) => tool.name).filter((n) => !answer.written.has(n)));
      await writeWhole(examplesFile, formatExamples(written), { root: "." });
      await acceptExamples();
    }
  });
  if (missed.length > 0) {
    const names = listNames(missed.map(visible), 10);
    log("warning", `No usable answer for ${plural(missed.length, "tool")}: ${names}`);
  }
  const tokens = `${spent.inputTokens} tokens in and ${spent.outputTokens} out`;
  note(`${plural(done, "tool")} written to ${examplesFile}, ${name} took ${tokens}`);
  return missed.length > 0 ? ExitCode.failure : ExitCode.ok;
}

function costOf(batches: readonly Batch[]): string {
  const tokens = batches.reduce((sum, { instructions, prompt }) => {
    return sum + estimateTokens(instructions) + estimateTokens(prompt);
  }, 0);
  const tools = batches.reduce((sum, batch) => sum + batch.tools.length, 0);
  const prompts = plural(batches.length, "prompt");
  // The model writes about 80 tokens of requests for each tool
  const cost = `about ${tokens} tokens in and ${tools * 80} out`;
  return `${plural(tools, "tool")} in ${prompts}: ${cost}; nothing was asked`;
}
