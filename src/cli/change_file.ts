/** Shows a person the change of a file, such as an MCP client's, asks whether to make it, and writes the file. */

import { ExitCode, FileError } from "../errors.ts";
import type { BackupStep, ClientFile } from "../setup/client_file.ts";
import { harmless } from "../text/escape.ts";
import { confirmWrite } from "./ask.ts";
import { paint } from "../terminal.ts";
import { print, printText } from "./output.ts";
import { dirname } from "node:path";
import { writeWhole } from "../files/write_file.ts";
import { emptyProject, readProject } from "../setup/init_file.ts";
import type { NamedText } from "../text/named_text.ts";
import { readUpstreamConfig } from "../sources/upstream/config.ts";
import { acceptOwnRest, defaultProjectFile } from "./project_file.ts";
import { isLiteral, namesCredential, secretParts } from "../sources/upstream/credentials.ts";

interface FileChange {
  readonly file: ClientFile;
  /** The new text; `undefined` removes the file. */
  readonly next: string | undefined;
  readonly backup: BackupStep;
}

export async function changeFile(
  { file, next, backup }: FileChange,
  yes: boolean,
  first: () => Promise<void> = () => Promise.resolve(),
): Promise<boolean> {
  const { backupName, backupOf, writeClientFile } = await import("../setup/client_file.ts");
  await printDiff(file.path, file.text ?? "", next ?? "");
  const question = next === undefined ? "Remove the file?" : "Write the file?";
  if (!await confirmWrite(question, yes)) return false;
  await first();
  await writeClientFile(file, next, backup);
  await printText(`${next === undefined ? "Removed" : "Wrote"} ${file.path}`);
  if (await backupOf(file) !== undefined) {
    await printText(`Kept the original in ${backupName(file)}`);
  }
  return true;
}

/**
 * A changed line with more characters than this is probably a whole file without line feeds, so it is shown only in
 * part.
 */
const maxLineLength = 400;

/** Shows only the changed lines, because the other ones may hold credentials of other servers. */
async function printDiff(path: string, before: string, after: string): Promise<void> {
  const { changeBetween, diffLines } = await import("../text/diff.ts");
  const lines = diffLines(before, after).map(([mark, line]) => [mark, line.trimEnd()] as const);
  let changed = lines.filter(([mark, line]) => mark !== " " && line !== "");
  let first = lines.findIndex(([mark]) => mark !== " ") + 1;
  if (changed.some(([, line]) => line.length > maxLineLength)) {
    const { line, gone, come } = changeBetween(before, after);
    const parts = [["-", gone], ["+", come]] as const;
    first = line;
    changed = parts.flatMap(([mark, text]) => {
      return text.split(/\r?\n/).filter((each) => each.trim() !== "").map((each) =>
        [mark, each] as const
      );
    });
  }
  await printText(`${path}:${first}:`);
  for (const [mark, text] of changed) {
    const line = harmless(`${mark} ${maskLine(text)}`.trimEnd());
    await print(paint(line, mark === "-" ? "red" : "green", "stdout"));
  }
}

/** Edits the project's file, or the file at `path`, unless a person refuses the change that is shown. @throws {ClimaxError} */
export async function changeProject(
  path: string | undefined,
  yes: boolean,
  edit: (at: NamedText & { readonly isNew: boolean }) => string,
): Promise<ExitCode> {
  const file = path ?? await defaultProjectFile();
  const { text: before } = await readProject(file);
  const text = edit({ file, text: before ?? emptyProject(), isNew: before === undefined });
  const read = await readUpstreamConfig({ file, text });
  if (!read.ok) throw new FileError("Nothing was written", ...read.problems);
  await printDiff(file, before ?? "", text);
  if (!await confirmWrite("Write the file?", yes)) return ExitCode.failure;
  await writeWhole(file, text, { root: dirname(file) });
  await acceptOwnRest(file, text, before);
  await printText(`Wrote ${file}`);
  return ExitCode.ok;
}

/** Masks the credentials in `line`, which are recognized by their names or forms. */
export function maskLine(line: string): string {
  const named = line.replace(
    /(?<![\w-])(["']?)([\w-]+)\1(\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*')/g,
    (found, quote: string, name: string, between: string, value: string) => {
      const isSecret = namesCredential(name) && isLiteral(value.slice(1, -1));
      return isSecret ? `${quote}${name}${quote}${between}${value[0]}***${value[0]}` : found;
    },
  );
  return named.replace(/[^"']+/g, (text) => {
    return secretParts(text).reduce((left, part) => left.replaceAll(part, "***"), text);
  });
}
