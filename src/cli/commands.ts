/** All commands in one table. The code of a command is loaded when its name is given. */

import type { CommandEntry, CommandModule, CommandTable } from "./command.ts";

type Row = readonly [name: string, summary: string, load: () => Promise<CommandModule>];

const about = () => import("./commands/about.ts");
const login = () => import("./commands/login.ts");
const rules = () => import("./commands/policy.ts");
const servers = () => import("./commands/add.ts");
const token = () => import("./commands/token.ts");

const rows: Readonly<Record<string, readonly Row[]>> = {
  "Start here": [
    ["try", "take a guided minute in a scratch repository", () => import("./commands/try.ts")],
    ["search", "search tools as an agent would", () => import("./commands/search.ts")],
    ["connect", "add climax to an MCP client", () => import("./commands/connect.ts")],
    ["ui", "open a page to try tools and read the log", () => import("./commands/ui.ts")],
  ],
  "Every day": [
    ["run", "serve configs to an MCP client", () => import("./commands/run.ts")],
    ["list", "list configs, their tools, or groups", () => import("./commands/list.ts")],
    ["call", "call a tool as an agent would", () => import("./commands/call.ts")],
    ["log", "print what agents called", () => import("./commands/log.ts")],
    ["approve", "answer calls that wait for a yes", () => import("./commands/approve.ts")],
    ["generate", "write a config from a program's help", () => import("./commands/generate.ts")],
    ["doctor", "find problems with the setup", () => import("./commands/doctor.ts")],
  ],
  "Other MCP servers": [
    ["init", "write a file of the MCP servers you have", () => import("./commands/init.ts")],
    ["add", "add an MCP server to the project", async () => (await servers()).add],
    ["remove", "remove an MCP server from it", async () => (await servers()).remove],
    ["trust", "review and accept what a project brings", () => import("./commands/trust.ts")],
    ["login", "log in to an MCP server", async () => (await login()).login],
    ["logout", "log out of an MCP server", async () => (await login()).logout],
  ],
  "Configs": [
    ["new", "write a config to start from", () => import("./commands/new.ts")],
    ["show", "print the YAML of a config", async () => (await about()).show],
    ["validate", "check configs and a policy", () => import("./commands/validate.ts")],
    ["enrich", "write requests for search", () => import("./commands/enrich.ts")],
    ["schema", "print the JSON Schema of a file", async () => (await about()).schema],
    ["skill", "print how to write configs", async () => (await about()).skill],
  ],
  "Policies": [
    ["policy explain", "show which policy rule decides", async () => (await rules()).policyExplain],
    ["policy init", "write a policy to start from", async () => (await rules()).policyInit],
  ],
  "Measure": [
    ["stats", "count the tokens tools cost", () => import("./commands/stats.ts")],
    ["eval", "measure search with your queries", () => import("./commands/eval.ts")],
  ],
  "Serve a team": [
    ["token new", "make a token for HTTP", async () => (await token()).tokenNew],
    ["token key", "make a key that instances share", async () => (await token()).tokenKey],
  ],
  "Sub-agents": [
    ["build", "sort the tools of a project into groups", () => import("./commands/build.ts")],
    ["mcp", "serve the groups as sub-agents", () => import("./commands/mcp.ts")],
  ],
  "About climax": [
    ["completions", "print shell completions", async () => (await about()).completions],
    ["help", "print help for a command", async () => (await about()).help],
  ],
};

export const commandGroups: ReadonlyMap<string, readonly CommandEntry[]> = new Map(
  Object.entries(rows).map(([heading, all]) => {
    return [heading, all.map(([name, summary, load]) => ({ name, summary, load }))];
  }),
);

export const commands: ReadonlyMap<string, CommandEntry> = new Map(
  commandGroups.values().toArray().flat().map((each) => [each.name, each]),
);

const defaultCommand = commands.get("run")!;

const version: CommandEntry = {
  name: "version",
  summary: "print the version",
  load: async () => (await about()).version,
};

const flags: ReadonlyMap<string, string> = new Map([
  ["-h", "help"],
  ["--help", "help"],
  ["-V", "version"],
  ["-v", "version"],
  ["--version", "version"],
]);

export const divide: CommandTable["divide"] = (args) => {
  // `-v` alone asks for the version; in front of a command it makes the log more detailed
  const start = args.length === 1 && flags.has(args[0]!) ? 0 : leadingOptions(args);
  const [first = "", second = ""] = args.slice(start);
  const after = (count: number) => [...args.slice(0, start), ...args.slice(start + count)];
  const two = commands.get(`${first} ${second}`);
  if (two !== undefined) return { command: two, words: after(2) };
  const word = flags.get(first) ?? first;
  const one = word === version.name ? version : commands.get(word);
  if (one !== undefined) return { command: one, words: after(1) };
  return { command: defaultCommand, words: args, implied: first };
};

function leadingOptions(args: readonly string[]): number {
  let count = 0;
  for (let word = args[0]; word !== undefined; word = args[count]) {
    if (word === "--color") count += 2;
    else if (/^(?:-[qv]+|--quiet|--verbose|--color=.*)$/.test(word)) count++;
    else break;
  }
  return Math.min(count, args.length);
}

export const commandTable: CommandTable = { commands, groups: commandGroups, flags, divide };
