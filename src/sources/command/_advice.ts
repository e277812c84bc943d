/** Advice on tools that would be easier to find and to use with a change. Takes longer than other checks. */

import type { Finding, Path } from "../../files/finding.ts";
import type { ConfigFile, ToolFile } from "./schema.ts";
import { defaultTimeout } from "./source.ts";

export function adviceOn({ description, tools }: ConfigFile): Finding[] {
  return [
    ...(description?.trim() ? [] : [{
      path: [],
      message: "The config has no 'description': agents see what a program is for",
    }]),
    ...(tools.length > 0 ? [] : [{ path: ["tools"], message: "The config has no tools" }]),
    ...tools.flatMap((tool, index): Finding[] => [
      ...(tool.description?.trim() ? [] : [{
        path: ["tools", index, "name"],
        message: `Tool '${tool.name}' has no description: agents find and choose tools by it`,
      }]),
      ...shadowedAliases(tool, ["tools", index], tools),
      ...looseOrder(tool, ["tools", index]),
      ...shortJobs(tool, ["tools", index]),
    ]),
  ];
}

/** A background job with the default timeout ends as early as any other call. */
function shortJobs({ name, background, timeout }: ToolFile, path: Path): Finding[] {
  if (!background || typeof timeout === "number") return [];
  return [{
    path: [...path, "background"],
    message:
      `Tool '${name}' has no 'timeout': in the background too, it ends after ${defaultTimeout} seconds`,
  }];
}

/** If an optional positional value is absent, the next one takes its place. */
function looseOrder({ args, argv }: ToolFile, path: Path): Finding[] {
  if (argv) return [];
  const positionals = [...(args ?? []).entries()].filter(([, arg]) => arg.positional);
  const last = positionals.findLast(([, arg]) => arg.required);
  return positionals.filter(([index, arg]) => {
    const isSure = [arg.default, arg.value].some((each) => each !== undefined && each !== null);
    return !arg.required && !isSure && last !== undefined && index < last[0];
  }).map(([index, arg]) => ({
    path: [...path, "args", index, "positional"],
    message: `Argument '${arg.name}' may be absent, and '${last![1].name}' then takes its place`,
    hint: "Put required positional arguments first, or give the order with 'argv'",
  }));
}

/** Aliases that are the name of a tool. */
function shadowedAliases({ aliases }: ToolFile, path: Path, tools: readonly ToolFile[]): Finding[] {
  return (aliases ?? []).flatMap((alias, index) => {
    if (!tools.some(({ name }) => name === alias)) return [];
    const message = `Alias '${alias}' is never used: it is the name of a tool`;
    return [{ path: [...path, "aliases", index], message }];
  });
}
