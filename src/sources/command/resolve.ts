/**
 * A config as written → tools as the program uses them: roles decided, defaults applied, variables
 * expanded. After this step nothing knows the names of the YAML keys.
 */

import type { Finding, Path } from "../../document/document.ts";
import type { Arg, ArgRole, ArgType, Owner } from "../../tool/tool.ts";
import { type Environment, expand } from "../../document/expand.ts";
import { limitsOf } from "./_limits.ts";
import type { CommandSource, CommandTool } from "./source.ts";
import type { ArgFile, ConfigFile, ToolFile } from "./schema.ts";

/** Seconds a tool may take when its config does not say. */
const defaultTimeout = 30;

/** Names that the APIs of language models accept for tools, which is less than MCP does. */
const portableName = /^[A-Za-z0-9_-]{1,64}$/;

/** Names that they accept for arguments. */
const portableArgName = /^[A-Za-z0-9_.-]{1,64}$/;

/** The tools of one config, and what is wrong or doubtful about them. */
export interface ResolvedConfig {
  readonly tools: readonly CommandTool[];
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** Resolves `config`; `environment` answers for the variables it uses. */
export function resolveConfig(config: ConfigFile, environment: Environment): ResolvedConfig {
  const problems: Finding[] = [];
  const base = expandTokens(config.command, ["command"], environment, problems);
  if (base[0] === "") {
    problems.push({
      path: ["command"],
      message: "'command' names no program: its variable is empty",
    });
  }
  const workingDir = config.working_dir || undefined;
  const resolving = { environment, problems };
  const source = {
    env: config.env ?? {},
    ...(workingDir === undefined ? {} : {
      workingDir: expandOne(workingDir, ["working_dir"], environment, problems),
    }),
    ...(config.inherit_env ? { inheritEnv: config.inherit_env } : {}),
    ...(config.mask?.includes("url_credentials") ? { masksUrlCredentials: true } : {}),
    globalArgs: (config.global_args ?? []).flatMap((arg) => globalTokens(arg, environment)),
  };
  const owner: Owner = {
    name: config.name,
    description: config.description ?? "",
    ...(config.category ? { category: config.category } : {}),
    tags: config.tags ?? [],
  };
  const tools = config.tools.map((tool, index) => {
    const words = [...base, ...split(tool.command ?? "")];
    const command = words as [string, ...string[]];
    const resolved = resolveTool(tool, owner, { kind: "command", command, ...source });
    const limits = (tool.args ?? []).map((arg, at) => {
      return limitsOf(arg, ["tools", index, "args", at], resolving);
    });
    return { ...resolved, args: resolved.args.map((arg, at) => ({ ...arg, ...limits[at] })) };
  });
  const warnings = config.tools.flatMap((tool, index) => doubts(tool, ["tools", index]));
  return { tools, problems, warnings };
}

function resolveTool(tool: ToolFile, owner: Owner, source: CommandSource): CommandTool {
  return {
    name: tool.name,
    description: tool.description ?? "",
    owner,
    args: (tool.args ?? []).map(resolveArg),
    timeoutMs: (tool.timeout ?? defaultTimeout) * 1000,
    source,
  };
}

function resolveArg(arg: ArgFile): Arg {
  return {
    name: arg.name,
    description: arg.description ?? "",
    type: arg.type ?? "string",
    required: arg.required ?? false,
    ...(arg.default === undefined || arg.default === null ? {} : { default: arg.default }),
    ...(arg.enum ? { enum: arg.enum } : {}),
    role: roleOf(arg),
  };
}

function roleOf(arg: ArgFile): ArgRole {
  if (arg.positional) return { kind: "positional" };
  if (arg.stdin) return { kind: "stdin" };
  if (arg.cwd) return { kind: "cwd" };
  return { kind: "flag", flag: arg.flag ?? `--${arg.name.replaceAll("_", "-")}` };
}

/** The tokens of one global argument; none when a variable of its default is unset or empty. */
function globalTokens(arg: ArgFile, environment: Environment): string[] {
  if (arg.default === undefined || arg.default === null) return [];
  const { text, unset } = expand(String(arg.default), environment);
  if (unset.length > 0 || text === "") return [];
  const role = roleOf(arg);
  if (role.kind !== "flag") return [text];
  const type: ArgType = arg.type ?? "string";
  if (type === "boolean") return text.toLowerCase() === "true" ? [role.flag] : [];
  return role.flag.endsWith("=") ? [role.flag + text] : [role.flag, text];
}

/** White space first, variables second: what a variable holds stays one token. */
function expandTokens(
  text: string,
  path: Path,
  environment: Environment,
  problems: Finding[],
): string[] {
  return split(text).map((token) => expandOne(token, path, environment, problems));
}

function expandOne(text: string, path: Path, environment: Environment, problems: Finding[]) {
  const expansion = expand(text, environment);
  for (const name of expansion.unset) {
    problems.push({ path, message: `'${String(path.at(-1))}': variable $${name} is not set` });
  }
  return expansion.text;
}

function split(text: string): string[] {
  return text.split(/\s+/).filter((token) => token !== "");
}

/** What is legal but probably not meant. */
function doubts(tool: ToolFile, path: Path): Finding[] {
  const findings: Finding[] = [];
  if (!portableName.test(tool.name)) {
    findings.push({
      path: [...path, "name"],
      message: `Tool name '${tool.name}' is refused by some clients and models`,
      hint: "Names of 1 to 64 letters, digits, '_' and '-' work everywhere",
    });
  }
  for (const [index, arg] of (tool.args ?? []).entries()) {
    if (!portableArgName.test(arg.name)) {
      findings.push({
        path: [...path, "args", index, "name"],
        message: `Argument name '${arg.name}' is refused by some models`,
        hint: "Names of 1 to 64 letters, digits, '_', '-' and '.' work everywhere",
      });
    }
    if (!arg.required || arg.default === undefined || arg.default === null) continue;
    findings.push({
      path: [...path, "args", index, "default"],
      message: `Argument '${arg.name}' is required, so its default is never used`,
    });
  }
  return findings;
}
