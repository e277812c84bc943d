/** `climax add`: puts an MCP server into the project's file. */

import { UsageError } from "../../errors.ts";
import type { ServerFile } from "../../sources/upstream/schema.ts";
import { shellWord } from "../../text/shell_word.ts";
import { requireAnswer } from "../ask.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { listOption, shared } from "../options.ts";
import { printText } from "../output.ts";
import { asTyped } from "../messages.ts";

export function define(command: Command) {
  return command
    .description("Put an MCP server into the project's file, without starting it")
    .argument("<server>", "its name, or its URL")
    .argument("[command...]", "the command line that starts it, after --; or its URL")
    .option("--name <name>", "the name of a server with a URL (default: from its host)")
    .addOption(listOption("--env <variable>", "variable NAME=VALUE of its program (repeatable)"))
    .addOption(listOption("--header <header>", "header 'NAME: VALUE' of requests (repeatable)"))
    .addOption(shared.file())
    .option("-y, --yes", "write without asking");
}

export const examples: readonly Example[] = [
  [
    "add files -- npx -y @modelcontextprotocol/server-filesystem .",
    "a program that is started, called files",
  ],
  [
    "add https://example.org/mcp --header 'Authorization: Bearer $TOKEN'",
    "a server with a URL; the variable is read when it is connected",
  ],
];

export async function run(...[first, words, options]: CommandArguments<typeof define>) {
  const written = serverOf(first, words, options);
  requireAnswer(options.yes ?? false);
  const { moveSecrets } = await import("../../setup/init_secrets.ts");
  const secrets = new Map<string, string>();
  const server = moveSecrets(written, secrets);
  const { changeProject } = await import("../change_file.ts");
  const { serversOf, withServer } = await import("../../setup/project_servers.ts");
  const code = await changeProject(options.file, options.yes ?? false, (at) => {
    if (serversOf(at).some(({ name }) => name === server.name)) {
      throw new UsageError(
        `${at.file} has a server '${server.name}' already`,
        `climax remove ${shellWord(server.name)} takes it out`,
      );
    }
    return withServer(at, server);
  });
  if (code !== 0) return code;
  for (const name of secrets.keys()) {
    await printText(`A credential does not belong in the file: set ${name} where climax starts`);
  }
  const next = `Next: climax trust ${shellWord(server.name)} starts it and shows its tools`;
  await printText(asTyped(next));
  return code;
}

/** The server that the words describe. @throws {UsageError} when they do not */
function serverOf(
  first: string,
  words: readonly string[],
  { name, env = [], header = [] }: CommandArguments<typeof define>[2],
): ServerFile {
  const address = /^(https?|wss?):\/\//i;
  const scheme = address.exec(first)?.[1];
  if (scheme !== undefined) {
    if (words.length > 0) throw new UsageError("A server with a URL has no command line");
    if (env.length > 0) throw new UsageError("--env is for a server that is started");
    const headers = Object.fromEntries(header.map((each) => splitAt(each, ":", "--header")));
    return {
      name: name ?? nameFrom(first),
      transport: /^ws/i.test(scheme) ? "websocket" : "http",
      url: first,
      ...(header.length === 0 ? {} : { headers }),
    };
  }
  // Other clients take the name in front of the URL
  if (words.length === 1 && address.test(words[0]!)) {
    return serverOf(words[0]!, [], { name: name ?? first, env, header });
  }
  if (name !== undefined) throw new UsageError("--name is for a server with a URL");
  if (header.length > 0) throw new UsageError("--header is for a server with a URL");
  const [command, ...args] = words;
  if (command === undefined) {
    throw new UsageError(
      `'${first}' has no command line`,
      `climax add ${shellWord(first)} -- COMMAND, or climax add URL`,
    );
  }
  return {
    name: first,
    transport: "stdio",
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(env.length === 0
      ? {}
      : { env: Object.fromEntries(env.map((each) => splitAt(each, "=", "--env"))) }),
  };
}

function splitAt(text: string, mark: string, flag: string): [string, string] {
  const at = text.indexOf(mark);
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  throw new UsageError(`${flag} takes NAME${mark}VALUE, not '${text}'`);
}

/** `linear` of `https://mcp.linear.app/sse`. */
function nameFrom(url: string): string {
  if (!URL.canParse(url)) throw new UsageError(`'${url}' is not a URL`);
  const labels = new URL(url).hostname.split(".");
  const telling = labels.slice(0, Math.max(1, labels.length - 1))
    .find((label) => !["mcp", "api", "www"].includes(label));
  return telling ?? labels[0]!;
}
