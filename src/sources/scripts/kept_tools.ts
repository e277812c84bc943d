/**
 * Makes a tool of each kept script that the person has accepted, as the YAML in the comment at its head describes it.
 */

import { dirname } from "node:path";
import * as z from "zod";
import { locate, readDocument } from "../../files/document.ts";
import type { Finding, Path } from "../../files/finding.ts";
import { isObject } from "../../text/own_property.ts";
import type { Problem } from "../../errors.ts";
import type { NamedText } from "../../text/named_text.ts";
import { sha256 } from "../../text/hash.ts";
import { shellWord } from "../../text/shell_word.ts";
import {
  type Arg,
  type Effect,
  type Owner,
  type Tool,
  withheld,
  type WithheldTool,
} from "../../tool/tool.ts";
import { Accepted, readAccepted } from "../../trust/accepted.ts";
import { findKeptFiles, hasMark, type KeptFile, nameOf, personalScripts } from "./kept_files.ts";
import { scriptLimits } from "./limits.ts";
import { type KeptSource, scriptKind } from "./script_tools.ts";
import { climax } from "../../process/own_command.ts";

export interface KeptTools {
  readonly tools: readonly Tool[];
  readonly warnings: readonly Problem[];
  /** Tools of scripts whose present text the person has not accepted. */
  readonly withheld: readonly WithheldTool[];
  readonly files: readonly string[];
}

const owner: Owner = {
  name: "scripts",
  description: "Scripts that were kept: each makes calls of other tools",
  tags: [],
  isScripts: true,
};

/** Makes tools of the accepted scripts in `folders`. If two scripts have one name, the first is used. */
export async function loadKeptToolsIn(
  folders: readonly string[],
  taken: readonly Tool[],
  argReader: ArgReader,
): Promise<KeptTools> {
  const found = await Promise.all(folders.map(findKeptFiles));
  const files = found.flatMap((each) => each.files);
  const { accepted, unaccepted } = await divideFiles(files);
  const loaded = await makeKeptTools(accepted, taken, argReader);
  // Headers of strangers are parsed only if they are short, so that they cannot cost time before a person looks
  const short = unaccepted.filter(({ text }) => {
    const end = text.indexOf("*/");
    return end !== -1 && end <= maxUnacceptedHeader;
  });
  const waits = await makeKeptTools(short, [...taken, ...loaded.tools], argReader);
  const waiting = unaccepted.length === 0 ? [] : [warnUnaccepted(unaccepted)];
  return {
    tools: loaded.tools,
    warnings: [...found.flatMap((each) => each.warnings), ...waiting, ...loaded.warnings],
    withheld: waits.tools.map((tool) => {
      const command = `${climax()} trust ${shellWord((tool.source as KeptSource).file)}`;
      return withheld(tool, "its text is new or has changed since it was accepted", command);
    }),
    files: files.map(({ file }) => file),
  };
}

/** A header of at most this many characters is read before the script is accepted, to explain calls of its tool. */
const maxUnacceptedHeader = 2048;

async function divideFiles(files: readonly KeptFile[]) {
  const known = files.length === 0 ? new Accepted() : await readAccepted();
  const { accepted = [], unaccepted = [] } = Object.groupBy(files, (file) => {
    return isAcceptedScript(file, known) ? "accepted" : "unaccepted";
  });
  return { accepted, unaccepted };
}

/** Returns whether a script may run: it is a personal one, or the person has accepted exactly this text. */
export function isAcceptedScript({ file, sha256 }: KeptFile, known: Accepted): boolean {
  return dirname(file) === personalScripts() || known.has({ kind: "script", path: file, sha256 });
}

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
    hint: `Read and accept it: ${climax()} trust ${words}`,
  };
}

/** Makes tools of scripts whose texts are given, and so need no acceptance. */
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
    // The calls of the script ask questions themselves
    needsConsent: false,
    keepsEffect: true,
    ...(examples.length === 0 ? {} : { examples }),
    timeoutMs: scriptLimits.totalMs,
    source,
  };
}

/** Reads arguments as a config has them; given by the caller, so that scripts need not import the code for configs. */
export interface ArgReader {
  readonly schema: z.ZodType;
  check(args: unknown, path: Path): Finding[];
  resolve(
    written: readonly unknown[],
    path: Path,
  ): Promise<{ readonly args: readonly Arg[]; readonly findings: readonly Finding[] }>;
}

export interface ScriptHeader {
  readonly description: string;
  /** The worst effect that the calls of the script may have. */
  readonly effect: Effect;
  readonly args: readonly Arg[];
  readonly examples: readonly string[];
}

type HeaderResult =
  | { readonly ok: true; readonly header: ScriptHeader }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** A header has at most this many arguments, and as many examples. */
const maxItems = 50;

/** The description in a header has at most this many characters. */
const maxDescriptionLength = 1000;

const headerPattern = /^(\ufeff?\s*\/\*\s*climax script[^\S\n]*)(?:\r?\n([^]*?))?\*\//;

export async function readHeader(
  file: string,
  text: string,
  argReader: ArgReader,
): Promise<HeaderResult> {
  const match = headerPattern.exec(text);
  if (match === null) {
    const message = hasMark(text)
      ? "The comment of its header has no end, or YAML does not begin on a new line"
      : "The file does not begin with a header";
    const hint = "It begins with /* climax script, lines of YAML, and */";
    return { ok: false, problems: [{ file, line: 1, column: 1, message, hint }] };
  }
  const [, above = "", yaml = ""] = match;
  // Empty lines in front give problems the line numbers of the file
  const document = "\n".repeat(above.split("\n").length) + yaml;
  const unknownKeyHint = "A header has description, effect, args and examples; an argument has " +
    "the keys of a config's, but those of command lines";
  const check = (value: unknown) => argReader.check(argsOf(value), ["args"]);
  const read = await readDocument(file, document, schemaOf(argReader), { check, unknownKeyHint });
  if (!read.ok) return { ok: false, problems: read.problems };
  const { description, effect, args, examples } = read.value;
  const resolved = await argReader.resolve(args ?? [], ["args"]);
  if (resolved.findings.length > 0) {
    return { ok: false, problems: await locate(file, document, resolved.findings) };
  }
  return {
    ok: true,
    header: { description, effect, args: resolved.args, examples: examples ?? [] },
  };
}

function schemaOf({ schema }: ArgReader) {
  return z.strictObject({
    description: z.string().trim().min(1, "expected a sentence, found nothing")
      .max(maxDescriptionLength, `expected at most ${maxDescriptionLength} characters`),
    effect: z.enum(["read", "write", "destructive"]),
    args: z.array(schema).max(maxItems, atMost).nullish(),
    examples: z.array(z.string()).max(maxItems, atMost).nullish(),
  });
}

const atMost = `expected at most ${maxItems} items`;

function argsOf(header: unknown): unknown {
  return isObject(header) ? header["args"] : undefined;
}
