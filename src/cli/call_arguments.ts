/** Reads the arguments of one `climax call` from its command line: name=value pairs, JSON, or a file of JSON. */

import { io } from "../io.ts";
import { parseJson } from "../files/json.ts";
import { placeOf } from "../files/finding.ts";
import { requireText } from "../files/text_file.ts";
import { FileError, UsageError } from "../errors.ts";
import { inputSchema } from "../tool/json_schema.ts";
import type { Tool } from "../tool/tool.ts";
import { climax } from "../process/own_command.ts";

/** Reads arguments from `words` (pairs, or one JSON text or `@FILE`) or `json` (also `@FILE`). @throws {UsageError} */
export async function readArguments(
  words: readonly string[],
  json: string | undefined,
): Promise<unknown> {
  const isSource = (word: string) => /^[@{]/.test(word);
  const sources = words.filter(isSource);
  const [source, ...others] = [...(json === undefined ? [] : [json]), ...sources];
  const pairs = words.filter((word) => !isSource(word));
  if (others.length > 0 || (source !== undefined && pairs.length > 0)) {
    throw new UsageError(
      "Arguments are given as name=value pairs, --args JSON or @FILE, not mixed",
    );
  }
  if (source === undefined) return joinPairs(pairs.map(splitPair));
  if (source.startsWith("@")) return await readSource(source.slice(1));
  const parsed = await parseJson(source);
  if ("value" in parsed) return parsed.value;
  const { offset, message } = parsed.fault;
  throw new UsageError(
    `The arguments are not JSON: at character ${offset + 1}, ${message}`,
    `Such as: --args '{"name": "value"}'`,
  );
}

function joinPairs(pairs: readonly [string, string][]): Record<string, string | string[]> {
  const values = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries([...values].map(([name, same]) => {
    return [name, same.length === 1 ? same[0]![1] : same.map(([, text]) => text)];
  }));
}

function splitPair(pair: string): [string, string] {
  const equals = pair.indexOf("=");
  if (equals > 0) return [pair.slice(0, equals), pair.slice(equals + 1)];
  const hint =
    `Configs come before --, such as: ${climax()} call CONFIG -- TOOL; ${climax()} help TOOL names the arguments`;
  throw new UsageError(`Expected name=value, found '${pair}'`, hint);
}

async function readSource(path: string): Promise<unknown> {
  const text = path === "-"
    ? await new Response(io().stdin.readable).text()
    : await requireText(path, "The arguments were not read");
  const parsed = await parseJson(text);
  if ("value" in parsed) return parsed.value;
  const place = { file: path === "-" ? "stdin" : path, ...placeOf(text, parsed.fault.offset) };
  const message = `The file is not JSON: ${parsed.fault.message}`;
  throw new FileError("The arguments were not read", { ...place, message });
}

/**
 * Returns `words` with `name=value` in place of `--name value` and `--name=value`.
 * @param own the options of climax's command, such as `climax call`
 * @throws {UsageError} if a value is missing, or an option of climax's command stands among those of the tool
 */
export function optionsToPairs(
  words: readonly string[],
  tool: Tool | undefined,
  own: readonly string[],
): string[] {
  const properties = tool === undefined ? {} : inputSchema(tool).properties ?? {};
  const pairs: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const [, option, equals, value] = /^--([^=]+)(=?)([^]*)$/.exec(word) ?? [];
    if (option === undefined) {
      pairs.push(isBoolean(properties[word]) ? `${word}=true` : word);
      continue;
    }
    const name = nameOf(option, Object.keys(properties), own);
    const next = words[at + 1];
    if (equals) pairs.push(`${name}=${value}`);
    else if (isBoolean(properties[name])) {
      const isGiven = next === "true" || next === "false";
      pairs.push(`${name}=${isGiven ? next : true}`);
      at += isGiven ? 1 : 0;
    } else {
      if (next === undefined || /^--[^=]/.test(next)) {
        throw new UsageError(`--${option} needs a value`, `--${option} VALUE, or ${name}=VALUE`);
      }
      pairs.push(`${name}=${next}`);
      at++;
    }
  }
  return pairs;
}

function nameOf(option: string, names: readonly string[], own: readonly string[]): string {
  if (own.includes(`--${option}`)) {
    throw new UsageError(`Expected name=value, found '--${option}'`, "Options come before --");
  }
  return [option, option.replaceAll("-", "_")].find((name) => names.includes(name)) ?? option;
}

function isBoolean(schema: unknown): boolean {
  return (schema as { readonly type?: unknown } | undefined)?.type === "boolean";
}
