/** `climax login`: a person logs in to an MCP server in a browser, and the tokens are stored on this machine. */

import { openBrowser } from "../../exec/open_browser.ts";
import { ClimaxError, ExitCode, messageOf } from "../../errors.ts";
import { say } from "../../log.ts";
import { requireVariable } from "../../process/environment.ts";
import { inOneLine } from "../../text/escape.ts";
import { excerpt } from "../../text/excerpt.ts";
import { askLineUntil } from "../ask.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { clientKey, clientOption, issuerOfClient, tokensOfClient } from "../login_client.ts";
import { inProfile, listOption, shared } from "../options.ts";
import { printText } from "../output.ts";
import { findServer } from "../project_file.ts";

export function define(command: Command) {
  return command
    .description("Log in to an MCP server that asks for it (OAuth), in a browser")
    .argument("<server>", "name of the server in climax.json or .mcp.json")
    .option("--no-browser", "print the address, and ask for the answer to be pasted")
    .addOption(listOption("--scope <scope>", "an additional scope to request (repeatable)"))
    .addOption(clientOption())
    .addOption(tokensOfClient())
    .addOption(issuerOfClient())
    .addOption(shared.profile())
    .addOption(shared.mcp());
}

export const examples: readonly Example[] = [
  ["login issues", "log in with the browser of this machine"],
  [
    "login issues --no-browser",
    "log in over SSH: open the address anywhere, paste what it leads to",
  ],
  ["login issues --for ada --tokens tokens.txt", "log in for one client of an HTTP server"],
];

export async function run(...[name, options]: CommandArguments<typeof define>) {
  return await inProfile(options.profile, () => logInTo(name, options));
}

async function logInTo(name: string, options: CommandArguments<typeof define>[1]) {
  const { browser, scope: scopes = [], mcp } = options;
  const person = clientKey(options);
  const spec = await findServer(name, mcp);
  const { logIn } = await import("../../sources/upstream/login/log_in.ts");
  const { loginWords } = await import("../../sources/upstream/login/logins.ts");
  const words = "Then paste the address that the browser shows in the end, or the code:";
  try {
    const login = await logIn(spec, {
      environment: requireVariable,
      person,
      scopes,
      show(address, tokenHost) {
        // A hostile server can show the page of another, and take the answer
        const other = tokenHost === address.host ? "" : `, and your answer to ${tokenHost}`;
        say(`Server '${name}' sends you to ${address.host} to log in${other}`);
        const isOpened = browser && openBrowser(address.href);
        say(
          isOpened ? "If no browser opens, open this address:" : "Open this address in a browser:",
        );
        say(address.href);
      },
      paste: browser ? undefined : (signal) => askLineUntil(words, signal),
    });
    await printText(`server '${name}': ${loginWords(login)}`);
    return ExitCode.ok;
  } catch (error) {
    if (error instanceof ClimaxError) throw error;
    const message = `Server '${name}': ${excerpt(inOneLine(messageOf(error)), 500)}`;
    throw new ClimaxError("The login failed", ExitCode.failure, [{ file: spec.file, message }]);
  }
}
