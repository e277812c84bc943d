/** Describes a tool's arguments and its policy's constraints for people. */

import { demandsOn } from "../policy/check.ts";
import type { Arg, Tool } from "../tool/tool.ts";

/** Formats the arguments as a usage line: `[optional]`, `list…`, and the type or values of all but texts. */
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

/** Returns the constraints of a tool's policy in one line; `undefined` without a policy. */
export function demandWords(tool: Tool): string | undefined {
  if (tool.rule === undefined) return undefined;
  const own = tool.args.flatMap((arg) => {
    const demands = demandsOn(arg);
    return demands.length === 0 ? [] : [`${arg.name} ${demands.join(", ")}`];
  });
  return [
    tool.rule,
    ...(tool.needsConsent ? ["asks a person"] : []),
    ...(tool.refusesUnknown ? ["no unknown arguments"] : []),
    ...(tool.concurrency === undefined ? [] : [`${tool.concurrency} at once`]),
    ...own,
  ].join("; ");
}
