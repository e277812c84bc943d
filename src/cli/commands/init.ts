/** `climax init`: writes the config of the project in the current folder. */

import { type Command, Option } from "@commander-js/extra-typings";
import { io } from "../../io.ts";
import { plainText } from "../../terminal.ts";
import { clientNames } from "../../setup/clients.ts";
import type { InitPlan, ProviderFile } from "../../setup/init_plan.ts";
import { ExitCode, FileError } from "../../errors.ts";
import { providerTypes } from "../../agents/llm/settings.ts";
import { plural } from "../../text/plural.ts";
import { confirmAtTerminal, confirmWrite, requireAnswer } from "../ask.ts";
import type { CommandArguments, Example } from "../command.ts";
import { print, printNote, printText } from "../output.ts";
import { choiceOption, oneOf } from "../options.ts";
import { acceptOwnRest, defaultProjectFile } from "../project_file.ts";
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  return command
    .description(
      "Write climax.json for this folder from the MCP servers of your clients. An " +
        "existing tamamo-x.config.json is used instead",
    )
    .addOption(
      choiceOption(
        "--provider <type>",
        "language model provider, which only sub-agents and build ask",
        providerTypes,
      ),
    )
    .option("--model <name>", "its model; needed for vercel, bedrock and openrouter")
    .addOption(
      new Option("--agent <name>", "import from this client (repeatable; default: all)")
        .choices(clientNames)
        .argParser((value: string, previous: string[] | undefined) => {
          // tamamo-x calls the client Gemini CLI `gemini-cli`
          return [...previous ?? [], oneOf("--agent", clientNames)(value.replace(/-cli$/, ""))];
        }),
    )
    .option("-y, --yes", "start the servers and write the file without asking")
    .option("--dry-run", "print what would be written, start nothing and write nothing");
}

export const examples: readonly Example[] = [
  ["init", "import, look at every server, and write"],
  ["init --dry-run", "show what would be written"],
  ["init --yes --provider openai --agent cursor", "without questions, from one client"],
];

export async function run(...[options]: CommandArguments<typeof define>) {
  const { yes = false, dryRun = false, agent } = options;
  requireAnswer(
    yes || dryRun,
    "--dry-run shows what would be written; --yes starts the servers and writes it",
  );
  const { planInit, providerFrom } = await import("../../setup/init_plan.ts");
  const { connectServers, readProject, serversOf } = await import("../../setup/init_file.ts");
  const file = await defaultProjectFile();
  const { existing, text: before } = await readProject(file);
  const provider = providerFrom(options, existing?.["llmProvider"]);
  const folder = io().cwd();
  const plan = await planInit({ folder, clients: agent, provider, existing });
  for (const { server, place } of plan.added) await printText(`${server.name}: from ${place.path}`);
  for (const note of plan.notes) await printNote(note);
  const text = `${JSON.stringify(plan.config, null, 2)}\n`;
  if (serversOf({ file, text }).length === 0 && plan.config["cliConfigs"] === undefined) {
    return await begin(file, before, provider, { yes, dryRun });
  }
  const servers = await checkWritten(file, text);
  if (dryRun) {
    await printDifference(file, before ?? "", text);
    await tellVariables(plan);
    return ExitCode.ok;
  }

  const { describeServer } = await import("../../sources/upstream/review.ts");
  if (servers.length > 0) {
    await printText(["", `${plural(servers.length, "server")} to start or reach, as follows:`]);
  }
  for (const server of servers) await printText(`  ${describeServer(server)}`);
  if (!yes && !await confirmAtTerminal("Do that now, and write the file?")) {
    await printText("Nothing was started, and nothing written");
    return ExitCode.failure;
  }
  await connectServers(file, servers, plan.secrets, (text) => printText(text.split("\n")));
  await write(file, text, before);
  await tellVariables(plan);
  await tellNext(file, provider, plan.added.length > 0);
  return ExitCode.ok;
}

async function write(file: string, text: string, before: string | undefined): Promise<void> {
  const { writeProject } = await import("../../setup/init_file.ts");
  const backup = await writeProject(file, text, before);
  await acceptOwnRest(file, text, before);
  if (backup !== undefined) await printText(`Kept the original in ${backup}`);
  await printText(text === before ? `${file} is unchanged` : `Wrote ${file}`);
}

async function begin(
  file: string,
  before: string | undefined,
  provider: ProviderFile | undefined,
  { yes, dryRun }: { readonly yes: boolean; readonly dryRun: boolean },
): Promise<ExitCode> {
  const { emptyProject } = await import("../../setup/init_file.ts");
  await printText("No MCP server was found in the files of your clients");
  const text = before ?? emptyProject(provider);
  if (dryRun) {
    await printDifference(file, before ?? "", text);
    return ExitCode.ok;
  }
  const isWanted = before !== undefined || await confirmWrite(`Write a ${file} to fill in?`, yes);
  if (!isWanted) return ExitCode.failure;
  await write(file, text, before);
  await printText(
    `Next: ${climax()} add NAME -- COMMAND, or ${climax()} add URL, puts a server there`,
  );
  return ExitCode.ok;
}

async function tellNext(
  file: string,
  provider: ProviderFile | undefined,
  hasImported: boolean,
): Promise<void> {
  const adopt = `${climax()} connect CLIENT --adopt moves them instead`;
  if (hasImported) await printText(`Your clients still start these servers; ${adopt}`);
  await printText([
    `To use it in this folder without naming it: ${climax()} trust --all`,
    `To serve it: ${climax()} run --mcp ${file}`,
    `To have an MCP client start it: ${climax()} connect CLIENT --mcp ${file}`,
  ]);
  if (provider === undefined) return;
  const words = `${climax()} build, then ${climax()} mcp`;
  await printText(`As sub-agents, which ask ${provider.type}: ${words}`);
}

/** Reads the text of a project's file before it is written, and returns its servers. @throws {FileError} if invalid */
async function checkWritten(file: string, text: string) {
  const { readUpstreamConfig } = await import("../../sources/upstream/config.ts");
  const read = await readUpstreamConfig({ file, text });
  if (read.ok) return read.config.servers;
  throw new FileError("Nothing was written", ...read.problems);
}

async function printDifference(file: string, before: string, after: string): Promise<void> {
  const { diffLines, formatDiff } = await import("../../text/diff.ts");
  const lines = formatDiff(diffLines(before, after));
  await printText(lines.length === 0 ? `${file} would stay as it is` : ["", `${file}:`]);
  for (const line of lines) await print(plainText(line, "stdout"));
}

async function tellVariables({ secrets }: InitPlan): Promise<void> {
  if (secrets.size === 0) return;
  const count = plural(secrets.size, "variable");
  await printText([
    "",
    `Credentials do not belong in the file. Set ${count} where climax starts, to what the servers were given before:`,
    ...secrets.keys().map((name) => `  ${name}`),
  ]);
}
