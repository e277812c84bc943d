/** Makes tools of a config that was read, with defaults and variables filled in. */

import type { Finding, Path } from "../../files/finding.ts";
import type { ObjectSchema, Owner, Tool } from "../../tool/tool.ts";
import { type Environment, expand } from "../../files/expand.ts";
import { namesPrivate, resolveArg, type Resolving, roleOf } from "./_resolve_arg.ts";
import { type CommandSource, type CommandTool, defaultTimeout, type Display } from "./source.ts";
import type { ArgFile } from "./arg_schema.ts";
import type { ConfigFile, ToolFile } from "./schema.ts";
import { parseTemplate, standingAlone, type TemplateFile, templatePlaceholders } from "./argv.ts";
import { selectOf } from "../../files/select_file.ts";
import { present } from "../../text/own_property.ts";

export function resolveConfig(
  { ...config }: ConfigFile,
  environment: Environment,
  isBundled = false,
) {
  if (isBundled) config.unknown_args ??= "refuse";
  const problems: Finding[] = [];
  // `command` is split into words before variables get their values, so that a value with blanks stays one word
  const base = split(config.command).map((token) => {
    return expandOne(token, ["command"], environment, problems);
  });
  if (base[0] === "") {
    problems.push({
      path: ["command"],
      message: "'command' names no program: its variable is empty",
    });
  }
  const resolving: Resolving = { environment, problems };
  const directory = (written: string | null | undefined, path: Path) => {
    return written ? expandOne(written, path, environment, problems) : undefined;
  };
  const workingDir = directory(config.working_dir, ["working_dir"]);
  const warnings: Finding[] = [];
  const globalArgs = (config.global_args ?? []).flatMap((arg, index) => {
    return globalTokens(arg, environment, (message) => {
      warnings.push({ path: ["global_args", index, "default"], message });
    });
  });
  const owner: Owner = {
    name: config.name,
    description: config.description ?? "",
    tags: config.tags ?? [],
    ...present({
      category: config.category || undefined,
      systems: config.systems,
      isBundled: isBundled || undefined,
    }),
  };
  const pathsOf = (written: string) => {
    const { text: path, unset } = expand(written, environment);
    return unset.length > 0 || path === "" ? [] : [path];
  };
  const partsOf = (tool: ToolFile, index: number) => {
    const exitCodes = tool.exit_codes ?? config.exit_codes;
    const words = [...base, ...split(tool.command ?? "")];
    const toolDirectory = directory(tool.working_dir, ["tools", index, "working_dir"]) ??
      workingDir;
    const startIn = directory(tool.start_in, ["tools", index, "start_in"]);
    const template = tool.argv ? parseTemplate(tool.argv) : undefined;
    const places = template &&
      { all: templatePlaceholders(template), alone: standingAlone(template) };
    const source: CommandSource = {
      kind: "command",
      command: words as [string, ...string[]],
      env: { ...config.env, ...tool.env },
      globalArgs,
      ...present({
        program: config.program,
        inheritEnv: config.inherit_env,
        masksUrlCredentials: config.mask?.includes("url_credentials") || undefined,
        workingDir: toolDirectory,
        startIn,
        stdin: tool.stdin,
        hidesStderr: tool.show_stderr === false || undefined,
        exitCodes,
        retryWith: tool.retry_with,
        sandboxRequest: sandboxRequestOf(tool, config, pathsOf),
        privateItems: privateItemsOf(tool),
        output: outputOf(tool),
        template,
      }),
    };
    const args = (tool.args ?? []).map((arg, at) => {
      return resolveArg(arg, ["tools", index, "args", at], resolving, places);
    });
    for (const name of Object.keys(tool.retry_with ?? {})) {
      if (args.some((arg) => arg.name === name)) continue;
      const path = ["tools", index, "retry_with", name];
      problems.push({ path, message: `The tool has no argument '${name}'` });
    }
    if (!tool.confirm_with) return { args, source };
    const at = { ...resolving, path: ["tools", index, "confirm_with"] };
    const display = displayOf(tool, { args, source }, tool.confirm_with, at);
    return { args, source: { ...source, display } };
  };
  const tools = config.tools.map((tool, index): CommandTool => {
    const words = [...split(tool.command ?? ""), ...tool.argv?.flat() ?? []];
    const hasOwn = isBundled && !words.some((word) => word.startsWith("{@"));
    const subcommand = hasOwn ? { subcommand: words } : {};
    return { ...resolveTool(tool, config), owner, ...subcommand, ...partsOf(tool, index) };
  });
  return { tools, problems, warnings };
}

function displayOf(
  tool: ToolFile,
  { args: own, source }: Pick<CommandTool, "args" | "source">,
  shows: string | TemplateFile,
  { path, ...resolving }: Resolving & { readonly path: Path },
): Display {
  const refuse = (message: string) => void resolving.problems.push({ path, message });
  if (typeof shows === "string") {
    const isArg = own.some(({ name, type }) => name === shows && type === "boolean");
    if (!isArg) refuse(`'${shows}' is no boolean argument of the tool`);
    return { arg: shows };
  }
  const template = parseTemplate(shows);
  const all = templatePlaceholders(template);
  const places = { all, alone: standingAlone(template) };
  const quiet = { ...resolving, problems: [] };
  const args = (tool.args ?? []).map((arg) => resolveArg(arg, path, quiet, places));
  const placed = all.map(({ placeholder }) => args.find(({ name }) => name === placeholder.arg));
  const lost = all[placed.indexOf(undefined)];
  if (lost !== undefined) refuse(`'confirm_with': no argument '${lost.placeholder.arg}'`);
  const { output: _, ...plainSource } = source;
  const startIn = placed.some((arg) => arg?.role.kind === "cwd") ? { startIn: "/" } : {};
  const command = source.command.slice(0, 1) as [string];
  return { args, source: { ...plainSource, command, template, ...startIn } };
}

function privateItemsOf({ args }: ToolFile): CommandSource["privateItems"] {
  const items = (args ?? []).map(({ name, value }): [string, string[]] => {
    return [name, Array.isArray(value) ? value.filter(namesPrivate) : []];
  }).filter(([, own]) => own.length > 0);
  return items.length === 0 ? undefined : new Map(items);
}

function sandboxRequestOf(
  { sandbox: own, requires, open_world }: ToolFile,
  { sandbox, open_world: openWorld }: ConfigFile,
  pathsOf: (written: string) => readonly string[],
): CommandSource["sandboxRequest"] {
  // A tool with `requires` runs code of a project, so it does not get the sandbox rights of the config's other tools
  const shared = requires || sandbox === "none" ? undefined : sandbox;
  if (!own && !shared) return undefined;
  const all = (key: "write" | "read") => {
    return [...shared?.[key] ?? [], ...own?.[key] ?? []].flatMap(pathsOf);
  };
  const staysHere = (open_world ?? openWorld) === false;
  const network = staysHere ? undefined : own?.network ?? shared?.network;
  return {
    write: all("write"),
    read: all("read"),
    env: [...shared?.env ?? [], ...own?.env ?? []],
    ...present({ network }),
  };
}

function resolveTool(
  tool: ToolFile,
  config: ConfigFile,
): Omit<CommandTool, "owner" | "args" | "source"> {
  const softTimeout = tool.soft_timeout ?? config.soft_timeout;
  return {
    name: tool.name,
    description: tool.description ?? "",
    timeoutMs: (tool.timeout ?? defaultTimeout) * 1000,
    ...effectOf(tool, config),
    ...present({
      requires: tool.requires,
      loses: tool.loses,
      needsHost: config.sandbox === "none" ? true as const : undefined,
      output: tool.output_schema as unknown as ObjectSchema | undefined,
      question: tool.confirm_message || undefined,
      examples: tool.examples?.length ? tool.examples : undefined,
      aliases: tool.aliases?.length ? tool.aliases : undefined,
      background: tool.background,
      softTimeoutMs: typeof softTimeout === "number" ? softTimeout * 1000 : undefined,
    }),
  };
}

function effectOf(tool: ToolFile, config: ConfigFile): Partial<Tool> {
  const plain = tool.effect ?? tool.risk ?? config.effect;
  const effects = [plain, ...(tool.args ?? []).map(({ effect }) => effect)];
  const known =
    plain && (["destructive", "write"] as const).find((each) => effects.includes(each)) ||
    plain;
  const unknownArgs = tool.unknown_args ?? config.unknown_args;
  const openWorld = tool.open_world ?? config.open_world;
  return present({
    effect: known,
    plainEffect: known === plain ? undefined : plain,
    refusesUnknown: unknownArgs && unknownArgs === "refuse",
    annotations: typeof openWorld === "boolean" ? { openWorldHint: openWorld } : undefined,
  });
}

function globalTokens(arg: ArgFile, environment: Environment, warn: (message: string) => void) {
  const preset = arg.value ?? arg.default;
  if (preset === undefined || preset === null) return [];
  const { text, unset } = expand(String(preset), environment);
  if (unset.length > 0 || text === "") return [];
  const role = roleOf(arg);
  if (role.kind !== "flag") return [text];
  if (arg.type === "boolean") {
    const truth = truthOf(text);
    if (truth === undefined) warn(`'${text}' is neither true nor false, so it counts as false`);
    return truth ? [role.flag] : [];
  }
  return role.flag.endsWith("=") ? [role.flag + text] : [role.flag, text];
}

function truthOf(text: string): boolean | undefined {
  if (/^(?:true|yes|on|y|t|0*[1-9][0-9]*)$/i.test(text)) return true;
  return /^(?:false|no|off|n|f|0+)$/i.test(text) ? false : undefined;
}

function expandOne(text: string, path: Path, environment: Environment, problems: Finding[]) {
  const expansion = expand(text, environment);
  for (const name of expansion.unset) {
    const message = `'${String(path.at(-1))}': variable $${name} is not set`;
    problems.push({ path, message, hint: "Set it where climax is started, or write the value" });
  }
  return expansion.text;
}

function split(text: string): string[] {
  return text.split(/\s+/).filter((token) => token !== "");
}

function outputOf({ output, csv, select }: ToolFile): CommandSource["output"] {
  if (!output || output === "text") return undefined;
  if (output === "image") return output;
  return {
    format: output,
    ...present({
      csv: csv?.delimiter || csv?.columns ? present(csv) : undefined,
      select: select ? selectOf(select) : undefined,
    }),
  };
}
