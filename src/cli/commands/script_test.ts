/** `climax script test`: runs scripts against their recordings, without any program or server. */

import { shared } from "../options.ts";
import { dirname } from "node:path";
import { ExitCode, UsageError } from "../../errors.ts";
import { readTextFile } from "../../files/text_file.ts";
import { note } from "../../log.ts";
import { findKeptFiles, hasMark } from "../../sources/scripts/kept_files.ts";
import { projectScripts } from "../../sources/scripts/kept_folders.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { inFrontOfDashes, sessionOf } from "../config_words.ts";
import { readKept, runScriptFile, scriptPath, testFile, writeRecording } from "../script_file.ts";
import { printText } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Run scripts against their recordings: no program and no server is started")
    .argument(
      "[script...]",
      "names or files, default all here; with --record, after configs and --",
    )
    .option("--replay <file>", "the recording, for one script without a header")
    .option("--record", "run the tests with the tools of configs, and record their answers")
    .addOption(shared.config());
}

export const examples: readonly Example[] = [
  ["script test", "run the tests of all scripts in .climax/scripts"],
  ["script test changes", "run the tests that its header names, and compare their results"],
  ["script test notes.js", "run one without a header against notes.recording.json"],
];

interface Test {
  readonly label: string;
  readonly path: string;
  readonly recording: string;
  /** Absent: that of the recording. */
  readonly input?: unknown;
}

/** Runs each script; 1 when the result of one is not that of its recording. */
export async function run(...[words, options, behind]: CommandArguments<typeof define>) {
  const { replay, record = false, config } = options;
  const { configs, others } = inFrontOfDashes(words, behind);
  const all = others.length > 0
    ? others
    : (await findKeptFiles(projectScripts)).files.map(({ file }) => file);
  if (all.length === 0) throw new UsageError(`No script is in ${projectScripts}`, "Name its file");
  if (replay !== undefined && (others.length !== 1 || record)) {
    throw new UsageError("--replay is for one script, and not for --record");
  }
  if (!record && (configs.length > 0 || config !== undefined)) {
    throw new UsageError("A test has no use for configs", "With --record they answer its calls");
  }
  let failed = 0;
  for (const word of all) {
    const path = await scriptPath(word);
    const tests = await testsOf(path, replay);
    if (tests.length === 0) {
      await printText(`${path}: it has no tests; name some in its header`);
      failed++;
    }
    for (const test of tests) {
      if (record) await recordTest(test, await sessionOf({ config }, configs));
      const difference = await differenceOf(test);
      await printText(
        `${test.label}: ${difference === undefined ? "as recorded" : "not as recorded"}`,
      );
      if (difference === undefined) continue;
      failed++;
      await printText(difference.split("\n"));
    }
  }
  return failed === 0 ? ExitCode.ok : ExitCode.failure;
}

async function testsOf(path: string, replay: string | undefined): Promise<Test[]> {
  const file = await readTextFile(path);
  const isKept = file.ok && hasMark(file.text);
  if (!isKept || replay !== undefined) {
    const beside = `${path.replace(/\.m?js$/, "")}.recording.json`;
    return [{ label: path, path, recording: replay ?? beside }];
  }
  const { header: { tests } } = await readKept(path);
  return tests.map(({ name, input }) => {
    return { label: `${path} ${name}`, path, input, recording: testFile(path, name) };
  });
}

async function recordTest(
  { label, path, input, recording }: Test,
  configs: Awaited<ReturnType<typeof sessionOf>>,
): Promise<void> {
  const { Recorder } = await import("../../sources/scripts/recording.ts");
  const tape = new Recorder();
  const session = { ...configs, calls: { maxResultTokens: 0 } };
  const { text, isError } = await runScriptFile(path, { session, tape, input });
  if (isError) return note(`${label} is not recorded, it failed: ${text}`);
  // A project may have a link there
  await writeRecording(recording, tape.end(text, input), dirname(path));
}

async function differenceOf({ path, recording: file, input }: Test): Promise<string | undefined> {
  const { Player, readRecording } = await import("../../sources/scripts/recording.ts");
  const recording = await readRecording(file);
  const { text, isError } = await runScriptFile(path, {
    session: { configs: [], calls: { maxResultTokens: 0 } },
    tape: new Player(recording),
    input: input ?? recording.input,
  });
  if (!isError && text === recording.result) return undefined;
  const { diffLines, formatDiff: shownDiff } = await import("../../text/diff.ts");
  return shownDiff(diffLines(recording.result, text)).join("\n");
}
