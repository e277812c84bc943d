/** `climax script test`: runs scripts against their recordings, without any program or server. */

import type { Command } from "@commander-js/extra-typings";
import { ExitCode, UsageError } from "../../errors.ts";
import type { CommandArguments, Example } from "../command.ts";
import { print } from "../output.ts";
import { recordingBeside, runScriptFile } from "../script_file.ts";

export function define(command: Command) {
  return command
    .description("Run scripts against their recordings: no program and no server is started")
    .argument("<file...>", "scripts, each with NAME.recording.json beside NAME.js")
    .option("--replay <file>", "the recording, for one script");
}

export const examples: readonly Example[] = [
  ["script test notes.js", "run it against notes.recording.json, and compare the result"],
];

/** Runs each script; 1 when the result of one is not that of its recording. */
export async function run(
  ...[files, { replay }]: CommandArguments<typeof define>
): Promise<ExitCode> {
  if (replay !== undefined && files.length > 1) throw new UsageError("--replay is for one script");
  let failed = 0;
  for (const file of files) {
    const difference = await differenceOf(file, replay ?? recordingBeside(file));
    await print(`${file}: ${difference === undefined ? "as recorded" : "not as recorded"}`);
    if (difference === undefined) continue;
    failed++;
    await print(difference);
  }
  return failed === 0 ? ExitCode.ok : ExitCode.failure;
}

/** How the result differs from that of the recording. */
async function differenceOf(file: string, replay: string): Promise<string | undefined> {
  const { Player, readRecording } = await import("../../sources/scripts/recording.ts");
  const recording = await readRecording(replay);
  const { text, isError } = await runScriptFile(file, {
    session: { configs: [], calls: { maxResultTokens: 0 } },
    tape: new Player(recording),
    input: recording.input,
  });
  if (!isError && text === recording.result) return undefined;
  const { diffLines, shownDiff } = await import("../../text/diff.ts");
  return shownDiff(diffLines(recording.result, text)).join("\n");
}
