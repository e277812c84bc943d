/**
 * Translates options of the older programs CLImax 0.5 and tamamo-x, which scripts and files of MCP clients may still
 * have, into options of climax.
 */

import { UsageError } from "../errors.ts";
import { note } from "../log.ts";
import { climax } from "../process/own_command.ts";

const needless = /^--(?:no-add-to-agent|preserve-servers|detect-agents)$/;

/** Translates the words of a command line. @throws {UsageError} for an option of CLImax 0.5 that climax lacks */
export function wordsOfOriginal(command: string, words: readonly string[]): readonly string[] {
  if (command === "init") {
    const others = words.filter((word) => !needless.test(word));
    if (others.length < words.length) {
      note(`${climax()} init does so by itself: its old flags do nothing`);
    }
    return others;
  }
  if (command !== "run") return words;
  if (words.includes("--headless-approve")) {
    const hint = `${climax()} approve and ${climax()} ui answer from anywhere`;
    throw new UsageError("--headless-approve would run calls because no person is there", hint);
  }
  const given: Record<string, string> = {};
  const others = words.filter((word, at) => {
    const [, name, value] = /^--(transport|host|port)(?:=(.*))?$/s.exec(word) ?? [];
    if (name !== undefined) given[name] = value ?? words[at + 1] ?? "";
    return name === undefined && !/^--(?:transport|host|port)$/.test(words[at - 1] ?? "");
  });
  const { transport = "", host = "127.0.0.1", port = "8000" } = given;
  if (others.length === words.length || transport === "stdio") return others;
  if (transport !== "streamable-http") {
    const hint = "--http HOST:PORT serves Streamable HTTP at /mcp, as CLImax 0.5 does";
    const found = `--transport must be stdio or streamable-http, found '${transport}'`;
    throw new UsageError(found, hint);
  }
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  note(`--transport streamable-http is read as --http ${address}`);
  return [...others, "--http", address];
}
