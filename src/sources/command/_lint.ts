/** Warns of parts of a config that are legal, but probably a mistake. */

import { type Finding, findingsAt, type Path } from "../../files/finding.ts";
import type { ArgFile } from "./arg_schema.ts";
import type { ConfigFile, ToolFile } from "./schema.ts";

/** Matches the tool names that all APIs of language models accept; MCP accepts more. */
const portableName = /^[A-Za-z0-9_-]{1,64}$/;

const portableArgName = /^[A-Za-z0-9_.-]{1,64}$/;

export function lintConfig(config: ConfigFile): Finding[] {
  return [
    ...shellSyntax(config.command, ["command"], true),
    ...config.tools.flatMap((tool, index) => warningsOfTool(tool, ["tools", index])),
  ];
}

function warningsOfTool(tool: ToolFile, path: Path): Finding[] {
  const named = portableName.test(tool.name) ? [] : [{
    path: [...path, "name"],
    message: `Tool name '${tool.name}' is refused by some clients and models`,
    hint: "Names of 1 to 64 letters, digits, '_' and '-' work everywhere",
  }];
  return [
    ...named,
    ...shellSyntax(tool.command ?? "", [...path, "command"], false),
    ...(tool.args ?? []).flatMap((arg, index) => warningsOfArg(arg, [...path, "args", index])),
  ];
}

const quoted = /^["']|=["']|["']$/;

function shellSyntax(command: string, path: Path, isBase: boolean): Finding[] {
  const word = command.split(/\s+/).find((each) => {
    return /^(?:\|\|?|&&?|;|[012]?>>?|<|2>&1)$/.test(each) || /[`;]|\$\(/.test(each) ||
      quoted.test(each) ||
      /(?:^|[^\\])[*?]/.test(each.slice(each.lastIndexOf("}") + 1));
  });
  if (word !== undefined) {
    const hint = quoted.test(word)
      ? "Words are split at white space only: put a text with spaces in 'argv'"
      : "No shell reads it; for a pipe or a redirection, name a script of your own";
    return [{ path, message: `'${word}' reaches the program as it is`, hint }];
  }
  const variable = isBase ? undefined : /(?:^|\s)(\S*\$\{?[A-Za-z_]\S*)/.exec(command)?.[1];
  if (variable === undefined) return [];
  return [{
    path,
    message: `'${variable}' reaches the program as it is`,
    hint: "Variables are filled in in the config's own 'command' only",
  }];
}

function warningsOfArg(arg: ArgFile, path: Path): Finding[] {
  const { findings, add } = findingsAt(path);
  const { name, flag } = arg;
  if (!portableArgName.test(name)) {
    const hint = "Names of 1 to 64 letters, digits, '_', '-' and '.' work everywhere";
    add("name", `Argument name '${name}' is refused by some models`, hint);
  }
  if (typeof flag === "string" && (arg.stdin || arg.cwd)) {
    const use = arg.stdin ? "the standard input" : "the working directory";
    add("flag", `Argument '${name}' is ${use}, so its flag is never used`);
  } else if (typeof flag === "string" && /\s/.test(flag.trim())) {
    const message = `Flag '${flag}' reaches the program as one word, white space included`;
    add("flag", message, "Fixed words belong in 'command' or in 'argv'");
  }
  if (arg.required && (arg.default ?? null) !== null) {
    add("default", `Argument '${name}' is required, so its default is never used`);
  }
  return findings;
}

export function adviceOn({ description, tools }: ConfigFile): Finding[] {
  return [
    ...(description?.trim() ? [] : [{
      path: [],
      message: "The config has no 'description': agents see what a program is for",
    }]),
    ...tools.flatMap((tool, index) => {
      const message = `Tool '${tool.name}' has no description: agents find and choose tools by it`;
      return tool.description?.trim() ? [] : [{ path: ["tools", index, "name"], message }];
    }),
  ];
}
