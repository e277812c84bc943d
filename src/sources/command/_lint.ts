/** Warns of parts of a config that are legal, but probably a mistake. */

import type { Finding, Path } from "../../files/finding.ts";
import type { ArgFile } from "./arg_schema.ts";
import type { ConfigFile, ToolFile } from "./schema.ts";
import { defaultTimeout } from "./source.ts";

/** Matches the tool names that all APIs of language models accept; MCP accepts more. */
const portableName = /^[A-Za-z0-9_-]{1,64}$/;

/** Matches the argument names that all APIs of language models accept. */
const portableArgName = /^[A-Za-z0-9_.-]{1,64}$/;

export function lintConfig(config: ConfigFile): Finding[] {
  return [
    ...shellSyntax(config.command, ["command"], true),
    ...config.tools.flatMap((tool, index) => warningsOfTool(tool, ["tools", index])),
    ...config.tools.flatMap((tool, index) => warningsOfLimits(tool, ["tools", index])),
  ];
}

/** Warns of a `soft_timeout` that never takes effect, because of `background` or a shorter `timeout`. */
function warningsOfLimits({ background, soft_timeout: soft, timeout }: ToolFile, path: Path) {
  if (typeof soft !== "number" || soft === 0) return [];
  const at = [...path, "soft_timeout"];
  if (typeof background === "boolean") {
    const when = background ? "at once" : "never";
    return [{ path: at, message: `'soft_timeout' means nothing: 'background' says ${when}` }];
  }
  const most = timeout ?? defaultTimeout;
  if (soft < most) return [];
  const message = `'soft_timeout' is never reached: the call ends after ${most} seconds`;
  return [{ path: at, message, hint: "Give it a longer 'timeout'" }];
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
    ...resultless(tool, path),
    ...(tool.args ?? []).flatMap((arg, index) => warningsOfArg(arg, [...path, "args", index])),
  ];
}

/** Warns of an output schema without the key `result`, the only one in the result of a program that prints a list. */
function resultless({ output, select, output_schema }: ToolFile, path: Path): Finding[] {
  const isList = (output === "jsonl" || output === "csv") && (!select || Array.isArray(select));
  if (!isList || !output_schema) return [];
  const { properties } = output_schema;
  if (typeof properties === "object" && properties !== null && "result" in properties) return [];
  return [{
    path: [...path, "output_schema"],
    message: `What is printed as ${output} is the list 'result' of the structured result`,
    hint: "Describe it in 'properties: { result: { type: array } }'",
  }];
}

const quoted = /^["']|=["']|["']$/;

/** Warns of shell syntax in a command, since no shell reads commands. */
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
  const findings: Finding[] = [];
  const { name, flag } = arg;
  if (!portableArgName.test(name)) {
    findings.push({
      path: [...path, "name"],
      message: `Argument name '${name}' is refused by some models`,
      hint: "Names of 1 to 64 letters, digits, '_', '-' and '.' work everywhere",
    });
  }
  if (typeof flag === "string" && (arg.stdin || arg.cwd)) {
    const use = arg.stdin ? "the standard input" : "the working directory";
    const message = `Argument '${name}' is ${use}, so its flag is never used`;
    findings.push({ path: [...path, "flag"], message });
  } else if (typeof flag === "string" && /\s/.test(flag.trim())) {
    findings.push({
      path: [...path, "flag"],
      message: `Flag '${flag}' reaches the program as one word, white space included`,
      hint: "Fixed words belong in 'command' or in 'argv'",
    });
  } else if (flag === "-") {
    findings.push({
      path: [...path, "flag"],
      message: "Flag '-' puts a '-' before the value, which programs take for the standard input",
      hint: "For a value without a flag, write 'positional: true'",
    });
  }
  if (arg.required && arg.default !== undefined && arg.default !== null) {
    findings.push({
      path: [...path, "default"],
      message: `Argument '${name}' is required, so its default is never used`,
    });
  }
  return findings;
}

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
      ...findShadowedAliases(tool, ["tools", index], tools),
      ...looseOrder(tool, ["tools", index]),
      ...shortJobs(tool, ["tools", index]),
    ]),
  ];
}

/** Warns of a background job without a timeout, since the default timeout ends it as early as any other call. */
function shortJobs({ name, background, timeout }: ToolFile, path: Path): Finding[] {
  if (!background || typeof timeout === "number") return [];
  return [{
    path: [...path, "background"],
    message:
      `Tool '${name}' has no 'timeout': in the background too, it ends after ${defaultTimeout} seconds`,
  }];
}

/** Warns of an optional positional argument before a required one, whose value takes its place if it is absent. */
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

function findShadowedAliases({ aliases }: ToolFile, path: Path, tools: readonly ToolFile[]) {
  return (aliases ?? []).flatMap((alias, index) => {
    if (!tools.some(({ name }) => name === alias)) return [];
    const message = `Alias '${alias}' is never used: it is the name of a tool`;
    return [{ path: [...path, "aliases", index], message }];
  });
}
