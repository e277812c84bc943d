/** Advice on tools that would be easier to find and to use with a change. Takes longer than other checks. */

import type { Finding, Path } from "../../files/finding.ts";
import type { ConfigFile, ToolFile } from "./schema.ts";
import { defaultTimeout } from "./source.ts";

export function adviceOn({ description, tools }: ConfigFile): Finding[] {
  const aliases = new Map<string, string>();
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
      ...shadowedAliases(tool, ["tools", index], { tools, aliases }),
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

interface Names {
  readonly tools: readonly ToolFile[];
  /** Tools by their aliases, as far as they were read. */
  readonly aliases: Map<string, string>;
}

/** Aliases that are the name or an alias of another tool. */
function shadowedAliases(tool: ToolFile, path: Path, { tools, aliases }: Names): Finding[] {
  return (tool.aliases ?? []).flatMap((alias, index) => {
    const other = tools.some(({ name }) => name === alias) ? alias : aliases.get(alias);
    if (other === undefined) {
      aliases.set(alias, tool.name);
      return [];
    }
    const message = `Alias '${alias}' is never used: it calls tool '${other}'`;
    return [{ path: [...path, "aliases", index], message }];
  });
}
