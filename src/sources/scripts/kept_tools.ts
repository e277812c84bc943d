/** The tools that kept scripts are: those that the person has accepted, each under its own name. */

import { dirname } from "node:path";
import type { Problem } from "../../errors.ts";
import type { NamedText } from "../../text/named_text.ts";
import { sha256 } from "../../text/hash.ts";
import { shellWord } from "../../text/shell_word.ts";
import type { Owner } from "../../tool/owner.ts";
import type { Tool } from "../../tool/tool.ts";
import { withheld, type WithheldTool } from "../../tool/withheld_tool.ts";
import { Accepted, readAccepted } from "../../trust/accepted.ts";
import { type ArgReader, readHeader, type ScriptHeader } from "./header.ts";
import { findKeptFiles, type KeptFile, nameOf } from "./kept_files.ts";
import { personalScripts } from "./kept_folders.ts";
import { scriptLimits } from "./limits.ts";
import { scriptOf } from "./script_tools.ts";
import { type KeptSource, scriptKind } from "./source.ts";

export interface KeptTools {
  readonly tools: readonly Tool[];
  readonly warnings: readonly Problem[];
  /** Those that the person has not accepted as they are. */
  readonly withheld: readonly WithheldTool[];
  readonly files: readonly string[];
}

const owner: Owner = {
  name: "scripts",
  description: "Scripts that were kept: each makes calls of other tools",
  tags: [],
  isScripts: true,
};

/** The tools of the accepted scripts in `folders`; the first of a name is used. */
export async function loadKeptToolsIn(
  folders: readonly string[],
  taken: readonly Tool[],
  argReader: ArgReader,
): Promise<KeptTools> {
  const found = await Promise.all(folders.map(findKeptFiles));
  const files = found.flatMap((each) => each.files);
  const { accepted, unaccepted } = await divideFiles(files);
  const loaded = await makeKeptTools(accepted, taken, argReader);
  const waits = await makeKeptTools(unaccepted, [...taken, ...loaded.tools], argReader);
  const waiting = unaccepted.length === 0 ? [] : [warnUnaccepted(unaccepted)];
  return {
    tools: loaded.tools,
    warnings: [...found.flatMap((each) => each.warnings), ...waiting, ...loaded.warnings],
    withheld: waits.tools.map((tool) => {
      const command = `climax trust ${shellWord(scriptOf(tool)!.file)}`;
      return withheld(tool, "its text is new or has changed since it was accepted", command);
    }),
    files: files.map(({ file }) => file),
  };
}

async function divideFiles(files: readonly KeptFile[]) {
  const known = files.length === 0 ? new Accepted() : await readAccepted();
  const { accepted = [], unaccepted = [] } = Object.groupBy(files, (file) => {
    return isAcceptedScript(file, known) ? "accepted" : "unaccepted";
  });
  return { accepted, unaccepted };
}

/** Returns whether the person has written the file, or accepted exactly this text of it. */
export function isAcceptedScript({ file, sha256 }: KeptFile, known: Accepted): boolean {
  return dirname(file) === personalScripts() || known.has({ kind: "script", path: file, sha256 });
}

/** Names in one warning. */
const maxNamed = 5;

function warnUnaccepted(files: readonly KeptFile[]): Problem {
  const names = files.slice(0, maxNamed).map(({ name }) => name);
  const more = files.length > maxNamed ? ` and ${files.length - maxNamed} more` : "";
  const [only] = files;
  const message = files.length === 1
    ? `The script '${only!.name}' is not served: it is new or has changed`
    : `These scripts are not served, they are new or have changed: ${names.join(", ")}${more}`;
  const words = files.slice(0, maxNamed).map(({ file }) => shellWord(file)).join(" ");
  return {
    file: dirname(only!.file),
    message,
    hint: `Read and accept it: climax trust ${words}`,
  };
}

/** The tools of texts that belong to this program. */
export async function loadKeptTools(
  texts: readonly NamedText[],
  taken: readonly Tool[],
  argReader: ArgReader,
): Promise<KeptTools> {
  const files = texts.map(({ file, text }): KeptFile => {
    return { name: nameOf(file), file, text, sha256: sha256(text) };
  });
  return await makeKeptTools(files, taken, argReader);
}

async function makeKeptTools(
  files: readonly KeptFile[],
  taken: readonly Tool[],
  argReader: ArgReader,
): Promise<KeptTools> {
  const owners = new Map<string, string>(taken.flatMap(({ name, aliases = [], owner }) => {
    return [name, ...aliases].map((each) => [each, `a tool of '${owner.name}'`] as const);
  }));
  const tools: Tool[] = [];
  const warnings: Problem[] = [];
  for (const script of files) {
    const { name, file, text } = script;
    const other = owners.get(name);
    if (other !== undefined) {
      const message = `The script '${name}' is not served: ${other} has its name`;
      warnings.push({ file, message, hint: "Rename the file" });
      continue;
    }
    const read = await readHeader(file, text, argReader);
    if (!read.ok) {
      warnings.push(...read.problems);
      continue;
    }
    tools.push(makeKeptTool(script, read.header));
    owners.set(name, file);
  }
  return { tools, warnings, withheld: [], files: [] };
}

function makeKeptTool(
  { name, file, text, sha256 }: KeptFile,
  { description, effect, args, examples }: ScriptHeader,
): Tool {
  const source: KeptSource = { kind: scriptKind, task: "kept", file, code: text, sha256, effect };
  return {
    name,
    description,
    owner,
    args,
    effect,
    keepsEffect: true,
    ...(examples.length === 0 ? {} : { examples }),
    timeoutMs: scriptLimits.totalMs,
    source,
  };
}
