/**
 * What others build on, as lines of text: commands, their options and choices, the keys of our files with their
 * types, exit codes, the fields of the audit log, and the bundled tools with their arguments under each of their
 * names. `surface.json` has those of the last release; a line that was there and is gone breaks somebody, and
 * so does a key or an argument that must be there now.
 */

import { ExitCode } from "../src/errors.ts";
import { commands } from "../src/cli/commands.ts";
import { buildCommand } from "../src/cli/program.ts";
import { type JsonSchema, jsonSchema } from "../src/setup/json_schemas.ts";
import { schemaNames } from "../src/setup/file_names.ts";
import { bundledConfigs } from "../src/sources/command/bundled.ts";
import { readConfig } from "../src/sources/command/read_config.ts";
import security from "../docs/security.md" with { type: "text" };

/** Every line, sorted. */
export async function surface(): Promise<string[]> {
  const lines = [
    ...Object.entries(ExitCode).map(([name, code]) => `exit ${code} ${name}`),
    ...auditFields().map((field) => `audit ${field}`),
    ...schemaNames.flatMap((name) => keysOf(jsonSchema(name), name)),
  ];
  for (const entry of commands.values()) lines.push(...await commandLines(entry));
  for (const [name, text] of bundledConfigs) lines.push(...await toolLines(name, text()));
  return [...new Set(lines)].toSorted();
}

async function commandLines(entry: Parameters<typeof buildCommand>[0]): Promise<string[]> {
  const { options, registeredArguments } = await buildCommand(entry);
  const choices = (at: string, all: readonly string[] | undefined) => {
    return (all ?? []).map((choice) => `${at} ${choice}`);
  };
  return [
    `command ${entry.name}`,
    ...registeredArguments.flatMap((argument) => {
      const at = `command ${entry.name} <${argument.name()}>`;
      return argument.required ? [at, `required ${at}`] : [at];
    }),
    ...options.flatMap(({ short, long, argChoices, required }) => {
      const flags = [short, long].filter((flag) => flag !== undefined);
      return flags.flatMap((flag) => {
        const at = `command ${entry.name} ${flag}${required ? " VALUE" : ""}`;
        return [at, ...choices(at, argChoices)];
      });
    }),
  ];
}

async function toolLines(config: string, text: string): Promise<string[]> {
  const result = await readConfig(config, text);
  const tools = result.ok ? result.value.tools : [];
  return tools.flatMap(({ name, aliases, args }) => {
    return [name, ...aliases ?? []].flatMap((each) => [
      `tool ${each}`,
      ...(args ?? []).flatMap((arg) => {
        const at = `tool ${each} <${arg.name}>`;
        return arg.required ? [at, `required ${at}`] : [at];
      }),
    ]);
  });
}

/** The keys of a schema and what is below them, with types and values. */
function keysOf(schema: JsonSchema, at: string): string[] {
  const { anyOf = [], items, properties = {}, additionalProperties, type, enum: values } = schema;
  const required = (schema["required"] ?? []) as readonly string[];
  return [
    ...[type ?? []].flat().map((each) => `key ${at}: ${each}`),
    ...((values ?? []) as readonly unknown[]).map((each) => `key ${at}: ${JSON.stringify(each)}`),
    ...required.map((key) => `required key ${at}.${key}`),
    ...anyOf.flatMap((each) => keysOf(each, at)),
    ...(items === undefined ? [] : keysOf(items, `${at}[]`)),
    ...Object.entries(properties).flatMap(([key, value]) => {
      return [`key ${at}.${key}`, ...keysOf(value, `${at}.${key}`)];
    }),
    ...(typeof additionalProperties === "object" ? keysOf(additionalProperties, `${at}.*`) : []),
  ];
}

/** The fields in the table of docs/security.md, which a test compares with what is written. */
function auditFields(): string[] {
  const [, table] = security.split("\n| field |");
  const cells = table!.split("\n\n")[0]!.split("\n").map((row) => row.split("|")[1] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, field]) => field!));
}

/** The lines that break those who relied on `before`. */
export function breaking(before: readonly string[], now: readonly string[]): string[] {
  const isRequired = (line: string) => line.startsWith("required ");
  const there = new Set(now);
  const were = new Set(before);
  const gone = before.filter((line) => !isRequired(line) && !there.has(line));
  // A key that is new itself is required of nobody's file unless what has it was there
  return [...gone, ...now.filter((line) => isRequired(line) && !were.has(line) && had(line, were))];
}

function had(line: string, were: ReadonlySet<string>): boolean {
  const parent = line.slice("required ".length).replace(/\.[^.]*$| <.*$/, "");
  return [...were].some((each) => each === parent || each.startsWith(`${parent}:`));
}
