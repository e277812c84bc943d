/** Defines `climax add` and `climax remove`, which edit the MCP servers of the project's file. */

import { UsageError } from "../../errors.ts";
import type { ServerFile } from "../../sources/upstream/schema.ts";
import { shellWord } from "../../text/shell_word.ts";
import { nearHint } from "../../text/similar_names.ts";
import { requireAnswer } from "../ask.ts";
import { command } from "../command.ts";
import { listOption, withOptions } from "../options.ts";
import { printText } from "../output.ts";
import { climax } from "../../process/own_command.ts";

export const add = command({
  define: (command) =>
    withOptions(
      command
        .description("Put an MCP server into the project's file, without starting it")
        .argument("<server>", "its name, or its URL")
        .argument("[command...]", "the command line that starts it, after --; or its URL")
        .addOption(
          listOption("--env <variable>", "variable NAME=VALUE of its program (repeatable)"),
        )
        .addOption(
          listOption("--header <header>", "header 'NAME: VALUE' of requests (repeatable)"),
        ),
      "file",
      "yes",
    ),
  examples: [
    ["add files -- npx -y @modelcontextprotocol/server-filesystem .", "a program called files"],
    ["add https://example.org/mcp --header 'Authorization: Bearer $TOKEN'", "a server with a URL"],
  ],
  arrange: withDashes,
  async run(first, words, { file, yes = false, env = [], header = [] }) {
    const written = await serverOf(first, words, { env, header });
    requireAnswer(yes);
    const { moveSecrets, withoutHome } = await import("../../setup/init_secrets.ts");
    const secrets = new Map<string, string>();
    const server = moveSecrets(withoutHome(written), secrets);
    const { changeProject } = await import("../change_file.ts");
    const { serversOf, withServer } = await import("../../setup/init_file.ts");
    const code = await changeProject(file, yes, (at) => {
      if (serversOf(at).some(({ name }) => name === server.name)) {
        const hint = `${climax()} remove ${shellWord(server.name)} takes it out`;
        throw new UsageError(`${at.file} has a server '${server.name}' already`, hint);
      }
      return withServer(at, server);
    });
    if (code !== 0) return code;
    for (const name of secrets.keys()) {
      await printText(`A credential does not belong in the file: set ${name} where climax starts`);
    }
    const trust = `${climax()} trust ${shellWord(server.name)}`;
    await printText(`Next: ${trust} connects it and shows its tools`);
    return code;
  },
});

export const remove = command({
  define: (command) =>
    withOptions(
      command.description("Take an MCP server out of the project's file")
        .argument("<server>", "its name"),
      "file",
      "yes",
    ),
  examples: [["remove files", "take out the server that add put there"]],
  async run(name, { file, yes = false }) {
    const { changeProject } = await import("../change_file.ts");
    const { serversOf, withoutServer } = await import("../../setup/init_file.ts");
    return await changeProject(file, yes, (at) => {
      const names = serversOf(at).map((server) => server?.name ?? "");
      const index = names.indexOf(name);
      if (index === -1) {
        const hint = nearHint(name, names) ??
          (names.length === 0
            ? `${climax()} connect CLIENT --remove takes climax out of a client`
            : `It has: ${names.join(", ")}`);
        const what = at.isNew ? "is not there" : `has no server '${name}'`;
        throw new UsageError(`${at.file} ${what}`, hint);
      }
      requireAnswer(yes);
      return withoutServer(at, index);
    });
  },
});

/** Puts `--` in front of a server's command line, so that its options are not read as options of climax. */
function withDashes(words: readonly string[]): readonly string[] {
  let operands = 0;
  for (let at = 0; at < words.length && words[at] !== "--"; at++) {
    const word = words[at]!;
    if (/^--(?:env|header|file)$/.test(word)) at++;
    else if (word.startsWith("-")) continue;
    else if (address.test(word)) return words;
    else if (++operands === 2) return [...words.slice(0, at), "--", ...words.slice(at)];
  }
  return words;
}

const address = /^[a-z][a-z0-9+.-]*:\/\//i;

async function serverOf(
  first: string,
  words: readonly string[],
  { env, header }: Record<"env" | "header", readonly string[]>,
): Promise<ServerFile> {
  const url = [first, ...words].length < 3
    ? [first, ...words].find((word) => address.test(word))
    : "";
  if (address.test(first) && words.length > 0) {
    throw new UsageError("A server with a URL has no command line");
  }
  if (url && env.length > 0) throw new UsageError("--env is for a server that is started");
  if (!url && header.length > 0) throw new UsageError("--header is for a server with a URL");
  const [command, ...args] = words;
  if (!url && command === undefined) {
    const line = `${climax()} add ${shellWord(first)}`;
    const hint = `${line} -- COMMAND (--yes in front of --), or ${line} URL`;
    throw new UsageError(`'${first}' has no command line`, hint);
  }
  const entry = url
    ? { url, headers: Object.fromEntries(header.map((each) => splitAt(each, ":", "--header"))) }
    : {
      command,
      args: args.map((word) => word.replace(/^~(?=$|\/)/, "$~")),
      env: Object.fromEntries(env.map((each) => splitAt(each, "=", "--env"))),
    };
  const { typedDialect } = await import("../../sources/upstream/foreign/dialects.ts");
  const { readForeignServer } = await import("../../sources/upstream/foreign/read.ts");
  const name = first === url ? nameFrom(first) : first;
  const read = readForeignServer(name, entry, { dialect: typedDialect, root: "." });
  if (read.server !== undefined) return read.server;
  const hint = "docs/servers.md has what a server may have";
  throw new UsageError(`'${name}' cannot be added: ${read.reason}`, hint);
}

function splitAt(text: string, mark: string, flag: string): [string, string] {
  const at = text.indexOf(mark);
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  throw new UsageError(`${flag} takes NAME${mark}VALUE, not '${text}'`);
}

/** Makes a server's name of its URL: `linear` of `https://mcp.linear.app/sse`. */
function nameFrom(url: string): string {
  if (!URL.canParse(url)) throw new UsageError(`'${url}' is not a URL`);
  const labels = new URL(url).hostname.split(".");
  const telling = labels.slice(0, Math.max(1, labels.length - 1))
    .find((label) => !["mcp", "api", "www"].includes(label));
  return telling ?? labels[0]!;
}
