/** All commands in one table. A command's file is in `commands/`, loaded when its name is given. */

import type { Command, OptionValues } from "@commander-js/extra-typings";
import type { ExitCode } from "../errors.ts";
import type {
  CommandEntry,
  CommandModule,
  CommandTable,
  ParsedCommandLine,
  Surroundings,
} from "./command.ts";

/** The commands in the order and under the headings of `help --all`; a bare `climax` has the first two. */
export const commandGroups: ReadonlyMap<string, readonly CommandEntry[]> = new Map([
  ["Start here", [
    entry("try", "take a guided minute in a scratch repository", () => import("./commands/try.ts")),
    entry("search", "search tools as an agent would", () => import("./commands/search.ts")),
    entry("connect", "add climax to an MCP client", () => import("./commands/connect.ts")),
    entry("ui", "open a page to try tools and read the log", () => import("./commands/ui.ts")),
  ]],
  ["Every day", [
    entry("run", "serve configs to an MCP client", () => import("./commands/run.ts")),
    entry("list", "list configs, or the tools in them", () => import("./commands/list.ts")),
    entry("call", "call a tool as an agent would", () => import("./commands/call.ts")),
    entry("approve", "answer calls that wait for a yes", () => import("./commands/approve.ts")),
    entry(
      "generate",
      "write a config from a program's help",
      () => import("./commands/generate.ts"),
    ),
    entry("doctor", "find problems with the setup", () => import("./commands/doctor.ts")),
  ]],
  ["Other MCP servers", [
    entry("init", "write a file of the MCP servers you have", () => import("./commands/init.ts")),
    entry("add", "add an MCP server to the project", () => import("./commands/add.ts")),
    entry("remove", "remove an MCP server from it", () => import("./commands/remove.ts")),
    entry("trust", "review and accept MCP servers", () => import("./commands/trust.ts")),
    entry("login", "log in to an MCP server", () => import("./commands/login.ts")),
    entry("logout", "log out of an MCP server", () => import("./commands/logout.ts")),
  ]],
  ["Configs", [
    entry("new", "write a config to start from", () => import("./commands/new.ts")),
    entry("show", "print the YAML of a config", () => import("./commands/show.ts")),
    entry("validate", "check configs and a policy", () => import("./commands/validate.ts")),
    entry("enrich", "write requests for search", () => import("./commands/enrich.ts")),
    entry("schema", "print the JSON Schema of a file", () => import("./commands/schema.ts")),
    entry("skill", "print how to write configs", () => import("./commands/skill.ts")),
  ]],
  ["Policies", [
    entry(
      "policy explain",
      "show which policy rule decides",
      () => import("./commands/policy_explain.ts"),
    ),
    entry("policy init", "write a policy to start from", () => import("./commands/policy_init.ts")),
  ]],
  ["Scripts", [
    entry("script new", "write a script to start from", () => import("./commands/script_new.ts")),
    entry("script run", "run a script from a file", () => import("./commands/script_run.ts")),
    entry(
      "script check",
      "list the tools a script may call",
      () => import("./commands/script_check.ts"),
    ),
    entry("script accept", "make tools of scripts", () => import("./commands/script_accept.ts")),
  ]],
  ["Measure", [
    entry("stats", "count the tokens tools cost", () => import("./commands/stats.ts")),
    entry("eval", "measure search with your queries", () => import("./commands/eval.ts")),
  ]],
  ["Serve a team, deploy", [
    entry("token new", "make a token for HTTP", () => import("./commands/token_new.ts")),
    entry("token key", "make a key that instances share", () => import("./commands/token_key.ts")),
    entry(
      "permissions",
      "print the permissions of a server",
      () => import("./commands/permissions.ts"),
    ),
  ]],
  ["Sub-agents", [
    entry("build", "sort the tools of a project into groups", () => import("./commands/build.ts")),
    entry("groups", "show the groups", () => import("./commands/groups.ts")),
    entry("mcp", "serve the groups as sub-agents", () => import("./commands/mcp.ts")),
  ]],
  ["About climax", [
    entry("completions", "print shell completions", () => import("./commands/completions.ts")),
    entry("help", "print help for a command", () => import("./commands/help.ts")),
    entry("version", "print the version", () => import("./commands/version.ts")),
    entry("complete", undefined, () => import("./commands/complete.ts")),
  ]],
]);

export const commands: ReadonlyMap<string, CommandEntry> = new Map(
  commandGroups.values().toArray().flat().map((each) => [each.name, each]),
);

export const defaultCommand = commands.get("run")!;

/** Options that stand for a command when they come first. */
export const commandFlags: ReadonlyMap<string, string> = new Map([
  ["-h", "help"],
  ["--help", "help"],
  ["-V", "version"],
  ["-v", "version"],
  ["--version", "version"],
]);

/** Finds the command that `args` name; without a name it is `run`. */
export function divide(args: readonly string[]): ParsedCommandLine {
  const start = leadingOptions(args);
  const [first = "", second = ""] = args.slice(start);
  const after = (count: number) => [...args.slice(0, start), ...args.slice(start + count)];
  const two = commands.get(`${first} ${second}`);
  if (two !== undefined) return { command: two, words: after(2) };
  const one = commands.get(commandFlags.get(first) ?? first);
  if (one !== undefined) return { command: one, words: after(1) };
  return { command: defaultCommand, words: args, implied: first };
}

/** The number of words in front of the command's name that are options of every command. */
function leadingOptions(args: readonly string[]): number {
  let count = 0;
  for (let word = args[0]; word !== undefined; word = args[count]) {
    if (word === "--color") count += 2;
    else if (/^(?:-[qv]+|--quiet|--verbose|--color=.*)$/.test(word)) count++;
    else break;
  }
  return Math.min(count, args.length);
}

/** The table as a value, for files that may not import this one. */
export const commandTable: CommandTable = {
  commands,
  groups: commandGroups,
  flags: commandFlags,
  divide,
};

/** Makes an entry; the compiler checks that `run` takes what `define` declares. */
function entry<Arguments extends unknown[], Options extends OptionValues>(
  name: string,
  summary: string | undefined,
  load: () => Promise<
    & Pick<CommandModule, "examples">
    & {
      define(command: Command): Command<Arguments, Options>;
      run(...words: [...Arguments, Options, ...Surroundings]): Promise<ExitCode>;
    }
  >,
): CommandEntry {
  return { name, summary, load };
}
