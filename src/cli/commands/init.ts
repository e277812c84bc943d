/** `climax init`: writes a `tamamo-x.config.json` for the project in the current folder. */

import { type Command, Option } from "@commander-js/extra-typings";
import { io } from "../../io.ts";
import { clientNames } from "../../setup/init_places.ts";
import type { InitPlan } from "../../setup/init_plan.ts";
import { ClimaxError, ExitCode, UsageError } from "../../errors.ts";
import { credentialSources, providerTypes } from "../../agents/llm/settings.ts";
import { plural } from "../../text/plural.ts";
import { askText, canAsk, choose, confirm } from "../ask.ts";
import type { CommandArguments, Example } from "../command.ts";
import { label } from "../colour.ts";
import { print } from "../output.ts";
import { oneOf } from "../options.ts";
import { asTyped } from "../typed_command.ts";

export function define(command: Command) {
  return command
    .description("Write tamamo-x.config.json for this folder from the MCP servers of your clients")
    .addOption(
      new Option("--provider <type>", "language model provider of sub-agents")
        .choices(providerTypes).argParser(oneOf("--provider", providerTypes)),
    )
    .option("--model <name>", "its model; needed for vercel, bedrock and openrouter")
    .addOption(
      new Option("--credential-source <source>", "where its credentials come from")
        .choices(credentialSources).argParser(oneOf("--credential-source", credentialSources)),
    )
    .addOption(
      new Option("--agent <name>", "import from this client (repeatable; default: all)")
        .choices(clientNames)
        .argParser((value: string, previous: (typeof clientNames[number])[] | undefined) => {
          // As tamamo-x called it
          const name = value === "gemini-cli" ? "gemini" : value;
          return [...previous ?? [], oneOf("--agent", clientNames)(name)];
        }),
    )
    .option("--yes", "start the servers and write the file without asking")
    .option("--dry-run", "print what would be written, start nothing and write nothing");
}

export const examples: readonly Example[] = [
  ["init", "import, look at every server, and write"],
  ["init --dry-run", "show what would be written"],
  ["init --yes --provider openai --agent cursor", "without questions, from one client"],
];

const fileName = "tamamo-x.config.json";

/** Imports servers, connects to them, and writes the file. */
export async function run(...[options]: CommandArguments<typeof define>): Promise<ExitCode> {
  const { yes = false, dryRun = false, agent } = options;
  if (!yes && !dryRun && !canAsk()) {
    throw new UsageError(
      "There is no terminal to ask at",
      "--dry-run shows what would be written; --yes starts the servers and writes it",
    );
  }
  const { planInit } = await import("../../setup/init_plan.ts");
  const { chooseProvider } = await import("../../setup/init_provider.ts");
  const { projectText, readProject } = await import("../../setup/init_file.ts");
  const { existing, text: before } = await readProject(fileName);
  const provider = await chooseProvider(
    options,
    existing?.["llmProvider"],
    yes || !canAsk() ? undefined : { choose, askText },
  );
  const { schemaUrl } = await import("../../setup/schema_files.ts");
  const schema = await schemaUrl("project", !dryRun);
  const folder = io().cwd();
  const plan = await planInit({ folder, clients: agent, provider, existing, schema });
  for (const { server, place } of plan.added) await print(`${server.name}: from ${place.path}`);
  for (const note of plan.notes) await print(`${label("note", "stdout")} ${note}`);
  const text = projectText(plan.config);
  const servers = await checked(text);
  if (dryRun) return await show(before ?? "", text, plan);

  const { shownServer } = await import("../../sources/upstream/review.ts");
  if (servers.length > 0) {
    await print(`\n${plural(servers.length, "server")} to start or reach, as follows:`);
  }
  for (const server of servers) await print(`  ${shownServer(server)}`);
  if (!yes && !await confirm("Do that now, and write the file?")) {
    await print("Nothing was started, and nothing written");
    return ExitCode.failure;
  }
  const { connectServers, writeProject } = await import("../../setup/init_file.ts");
  await connectServers(fileName, servers, plan.secrets, print);
  const backup = await writeProject(fileName, text, before);
  if (backup !== undefined) await print(`What was there before is in ${backup}`);
  await print(text === before ? `${fileName} is unchanged` : `${fileName} is written`);
  await tellVariables(plan);
  const isDefault = servers.length === 0;
  if (!isDefault) await print(asTyped(`To serve it: climax run --mcp ${fileName}`));
  await print(asTyped("As sub-agents: climax build, and then climax mcp"));
  return ExitCode.ok;
}

/** The servers of the file that would be written, if it can be read back. */
async function checked(text: string) {
  const { readUpstreamConfig } = await import("../../sources/upstream/config.ts");
  const read = await readUpstreamConfig({ file: fileName, text });
  if (read.ok) return read.config.servers;
  throw new ClimaxError("Nothing was written", ExitCode.file, read.problems);
}

async function show(before: string, after: string, plan: InitPlan): Promise<ExitCode> {
  const { diffLines, shownDiff } = await import("../../text/diff.ts");
  const lines = shownDiff(diffLines(before, after));
  await print(lines.length === 0 ? `${fileName} would stay as it is` : `\n${fileName}:`);
  for (const line of lines) await print(line);
  await tellVariables(plan);
  return ExitCode.ok;
}

async function tellVariables({ secrets }: InitPlan): Promise<void> {
  if (secrets.size === 0) return;
  await print(
    `\nCredentials do not belong in the file. Set ${
      plural(secrets.size, "variable")
    } where climax starts, to what the servers were given before:`,
  );
  for (const name of secrets.keys()) await print(`  ${name}`);
}
