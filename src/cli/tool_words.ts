/** Describes a tool's arguments and its policy's constraints for people. */

import { demandsOn } from "../policy/check.ts";
import { noPolicy } from "../policy/policy_file.ts";
import { shellWord } from "../text/shell_word.ts";
import { boundSchema } from "../tool/json_schema.ts";
import type { Arg, Tool } from "../tool/tool.ts";
import { objectOf, typeWords } from "../tool/type_words.ts";
import { climax } from "../process/own_command.ts";
import { printTable, printText } from "./output.ts";

export async function printTool(tool: Tool): Promise<void> {
  const { name, owner, effect = "of unknown effect", description } = tool;
  await printText([`${name} (${owner.name}, ${effect})`, ...description.split("\n"), ""]);
  const schema = boundSchema(tool);
  const required = new Set(schema.required as readonly string[] | undefined);
  const args = Object.entries(objectOf(schema.properties)).map(([arg, written]) => {
    return { arg, isRequired: required.has(arg), written: objectOf(written) };
  });
  const rows = args.map(({ arg, isRequired, written }) => {
    const preset = written["default"] === undefined ? "" : ` = ${written["default"]}`;
    const words = `${typeWords(written, schema) || "text"}${preset}`;
    return [isRequired ? arg : `[${arg}]`, words, String(written["description"] ?? "")];
  });
  if (rows.length > 0) await printTable(["ARGUMENT", "TYPE", "DESCRIPTION"], rows);
  const needed = args.filter(({ isRequired }) => isRequired);
  const shown = needed.length > 0 ? needed : args.slice(0, 1);
  const pairs = shown.map(({ arg, written }) => {
    const { examples, enum: choices, default: preset, type } = written;
    const [value = preset] = [examples, choices].flatMap((each) => each as unknown[] ?? []);
    return shellWord(`${arg}=${value ?? (type === "boolean" ? true : arg.toUpperCase())}`);
  });
  const rule = demandWords(tool) ?? `${noPolicy}: it runs without a question`;
  await printText([
    "",
    `Example: ${[climax(), "call", name, ...pairs].join(" ")}`,
    `Rule: ${rule}`,
  ]);
}

/** Formats a tool's arguments as a usage line: `[optional]`, `list…`, and the type or values, except for plain text. */
export function usageOf({ args }: Pick<Tool, "args">): string {
  const shown = args.filter(({ fixed }) => fixed === undefined);
  return shown.map(argumentWords).join(" ");
}

function argumentWords(arg: Arg): string {
  const { name, type, required, list } = arg;
  const choices = list?.enum ?? arg.enum;
  const kind = choices !== undefined ? choices.join("|") : list !== undefined ? list.type : type;
  const ofKind = kind === "string" || kind === "boolean" ? "" : `: ${kind}`;
  const preset = arg.default === undefined ? "" : ` = ${[arg.default].flat().join(",")}`;
  const words = `${name}${list === undefined ? "" : "…"}${ofKind}${preset}`;
  return required ? words : `[${words}]`;
}

export function demandWords(tool: Tool): string | undefined {
  if (tool.rule === undefined) return undefined;
  const own = tool.args.flatMap((arg) => {
    const demands = demandsOn(arg);
    return demands.length === 0 ? [] : [`${arg.name} ${demands.join(", ")}`];
  });
  return [
    tool.rule,
    ...(tool.needsConsent ? ["asks a person"] : []),
    ...(tool.needsConsent === "outside" ? ["by its arguments"] : []),
    ...(tool.refusesUnknown === false ? ["ignores unknown arguments"] : []),
    ...(tool.concurrency === undefined ? [] : [`${tool.concurrency} at once`]),
    ...own,
  ].join("; ");
}
