/** `climax policy init`: prints a complete and strict policy for some configs, to be narrowed by hand. */

import type { Command } from "@commander-js/extra-typings";
import { ExitCode } from "../../errors.ts";
import { createFile, requireWrite } from "../../files/write_file.ts";
import { visible } from "../../text/escape.ts";
import type { Arg, Tool } from "../../tool/tool.ts";
import type { CommandArguments, Example } from "../command.ts";
import { configsHelp, requireSource } from "../config_words.ts";
import { shared } from "../options.ts";
import { print } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Print a policy that lists the tools of configs one by one, to start from")
    .argument("[config...]", configsHelp)
    .addOption(shared.config())
    .addOption(shared.mcp())
    .option("-o, --output <file>", "a new file to write (default: stdout)");
}

export const examples: readonly Example[] = [
  [
    "policy init git docker > policy.yaml",
    "list what there is, to take out what an agent should not have",
  ],
];

export async function run(...[named, options]: CommandArguments<typeof define>) {
  const { config, mcp, output } = options;
  const configs = requireSource(mcp, named, config);
  const { openSession } = await import("../../session/session.ts");
  await using session = await openSession({ configs, mcp, askServers: mcp !== undefined });
  const { tools } = session.index;
  const text = policyText(tools, [...configs, ...mcp ?? []]).join("\n");
  if (output === undefined) await print(text);
  else await requireWrite(output, "Nothing was written", () => createFile(output, `${text}\n`));
  return ExitCode.ok;
}

function policyText(tools: readonly Tool[], configs: readonly string[]) {
  return [
    `# What an agent may do with ${configs.join(", ")}. What is not listed is not served.`,
    "default: disabled",
    "# A person is asked before each of these calls",
    "confirm: destructive",
    tools.length === 0 ? "tools: {}" : "tools:",
    ...tools.flatMap(toolLines),
  ];
}

function toolLines(tool: Tool): string[] {
  const line = `  ${keyText(tool.name)}:  # ${commentOf(tool)}`;
  const places = tool.args.filter(isFreePlace);
  if (places.length === 0) return [line];
  return [
    line,
    "    args:",
    ...places.map(({ name }) => `      ${keyText(name)}: { within: . }`),
  ];
}

/** Returns true if an agent chooses the directory of the call and no constraint limits it yet. */
function isFreePlace({ role, limits, fixed }: Arg): boolean {
  return role.kind === "cwd" && limits?.within === undefined && fixed === undefined;
}

function commentOf(tool: Tool): string {
  const effect = tool.effect ?? "effect not known";
  // A YAML comment takes no control characters
  const description = visible(tool.description.replaceAll(/\s+/g, " ").trim());
  return description === "" ? effect : `${effect}: ${description}`;
}

/** Writes a name as a YAML key, in quotes unless every reader takes it as a text. */
function keyText(name: string): string {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(name) &&
    !/^(?:true|false|null|yes|no|on|off|[yn])$/i.test(name);
  return isPlain ? name : JSON.stringify(name);
}
