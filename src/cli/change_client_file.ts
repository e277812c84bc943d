/** Shows the change of an MCP client's file, asks, and writes it. */

import { UsageError } from "../errors.ts";
import type { BackupStep, ClientFile } from "../setup/client_file.ts";
import { maskedLine } from "../setup/masked_line.ts";
import { harmless } from "../text/escape.ts";
import { canAsk, confirm } from "./ask.ts";
import { coloured } from "../terminal.ts";
import { print, printText } from "./output.ts";

/** A change of a file. */
export interface FileChange {
  readonly file: ClientFile;
  /** The new text; `undefined` removes the file. */
  readonly next: string | undefined;
  readonly backup: BackupStep;
}

/** @throws {UsageError} when there is no terminal to ask at, and nothing says `yes` */
export function requireAnswer(yes: boolean, hint = "--yes writes it"): void {
  if (yes || canAsk()) return;
  throw new UsageError("There is no terminal to ask at", hint);
}

/** Asks unless `yes`, and writes; false when the person declines. `first` is done before the write. */
export async function changeFile(
  { file, next, backup }: FileChange,
  yes: boolean,
  first: () => Promise<void> = () => Promise.resolve(),
): Promise<boolean> {
  const { backupName, writeClientFile } = await import("../setup/client_file.ts");
  await printDiff(file.path, file.text ?? "", next ?? "");
  if (!yes && !await confirm(next === undefined ? "Remove the file?" : "Write the file?")) {
    await printText("Nothing was written");
    return false;
  }
  await first();
  await writeClientFile(file, next, backup);
  await printText(`${file.path} is ${next === undefined ? "removed" : "written"}`);
  if (backup !== "remove" && file.text !== undefined) {
    await printText(`What was there before is in ${backupName(file.path)}`);
  }
  return true;
}

/** A longer line is that of a file without line feeds: only its changed part is shown. */
const longestLine = 400;

/** Shows the changed lines only: the file may hold credentials of other servers. */
export async function printDiff(path: string, before: string, after: string): Promise<void> {
  const { changeBetween, diffLines } = await import("../text/diff.ts");
  const lines = diffLines(before, after).map(([mark, line]) =>
    [mark, line.replace(/\r$/, "")] as const
  );
  const changed = lines.filter(([mark, line]) => mark !== " " && line !== "");
  if (changed.some(([, line]) => line.length > longestLine)) {
    const { line, gone, come } = changeBetween(before, after);
    await printText(`${path}:${line}:`);
    const parts = [["-", gone], ["+", come]] as const;
    for (const [mark, text] of parts) {
      for (const each of text.split(/\r?\n/)) if (each.trim() !== "") await printLine(mark, each);
    }
    return;
  }
  const first = lines.findIndex(([mark]) => mark !== " ");
  await printText(`${path}:${lines.slice(0, first).filter(([mark]) => mark !== "+").length + 1}:`);
  for (const [mark, line] of changed) await printLine(mark, line);
}

async function printLine(mark: string, text: string): Promise<void> {
  const line = harmless(`${mark} ${maskedLine(text)}`.trimEnd());
  await print(coloured(line, mark === "-" ? "red" : "green", "stdout"));
}
