/** `climax login` and `climax logout`: a person's login to an MCP server, whose tokens are stored on this machine. */

import { resolve } from "node:path";
import { ClimaxError, ExitCode, messageOf, UsageError } from "../../errors.ts";
import { openBrowser } from "../../exec/open_browser.ts";
import { io, systemPath } from "../../io.ts";
import { say } from "../../log.ts";
import { requireVariable } from "../../process/environment.ts";
import { identityKey } from "../../process/identity.ts";
import type { ServerSpec } from "../../sources/upstream/spec.ts";
import { inOneLine } from "../../text/escape.ts";
import { excerpt } from "../../text/excerpt.ts";
import { askLineUntil } from "../ask.ts";
import { type Command, command, type CommandArguments } from "../command.ts";
import { listOption, sharedOptions, textOption } from "../options.ts";
import { printText } from "../output.ts";
import { findServer } from "../project_file.ts";
import { climax } from "../../process/own_command.ts";

function defineLogin(command: Command) {
  const person = `the login of a client of ${climax()} run --http, by its name there`;
  return command
    .argument("<server>", "name of the server in climax.json or .mcp.json")
    .addOption(textOption("--for <name>", person))
    .addOption(textOption("--tokens <file>", "the server's file of tokens"))
    .addOption(textOption("--issuer <url>", "the server's issuer of tokens"))
    .addOption(textOption("--profile <name>", `the login of a profile of ${climax()} run --http`))
    .addOption(sharedOptions().mcp);
}

type LoginFlags = CommandArguments<typeof defineLogin>[1];

export const login = command({
  define: (command) =>
    defineLogin(command)
      .description("Log in to an MCP server that asks for it (OAuth), in a browser")
      .option("--no-browser", "print the address, and ask for the answer to be pasted")
      .addOption(listOption("--scope <scope>", "an additional scope to request (repeatable)")),
  examples: [
    ["login issues", "log in with the browser of this machine"],
    ["login issues --no-browser", "log in over SSH, from a browser anywhere"],
    ["login issues --for ada --tokens tokens.txt", "log in for one client of an HTTP server"],
  ],
  async run(name, options) {
    const { browser, scope: scopes = [] } = options;
    const words = "Then paste the address that the browser shows in the end:";
    return await withServer(name, options, "The login failed", async (spec, person) => {
      const { logIn } = await import("../../sources/upstream/login/log_in.ts");
      const { loginWords } = await import("../../sources/upstream/login/logins.ts");
      const login = await logIn(spec, {
        environment: requireVariable,
        person,
        scopes,
        show(address, tokenHost) {
          // A malicious server can show another server's login page and receive the answer, so both hosts are named
          const other = tokenHost === address.host ? "" : `, and your answer to ${tokenHost}`;
          say(`Server '${name}' sends you to ${address.host} to log in${other}`);
          const isOpened = browser && openBrowser(address.href);
          const words = isOpened ? "If no browser opens, open" : "Open in a browser";
          say(`${words} this address:\n${address.href}`);
        },
        paste: browser ? undefined : (signal) => askLineUntil(words, signal),
      });
      await printText(`server '${name}': ${loginWords(login)}`);
    });
  },
});

export const logout = command({
  define: (command) =>
    defineLogin(command)
      .description("Remove the tokens of a login to an MCP server, and revoke them"),
  examples: [
    ["logout issues", "remove your own login"],
    ["logout issues --for ada --tokens tokens.txt", "remove that of one client of an HTTP server"],
  ],
  async run(name, options) {
    return await withServer(name, options, "The login was not removed", async (spec, person) => {
      const { logOut } = await import("../../sources/upstream/login/logins.ts");
      const { count, unrevoked } = await logOut(spec, { environment: requireVariable, person });
      await printText(`server '${name}': ${count === 0 ? "there was no login" : "logged out"}`);
      if (unrevoked === undefined) return;
      const reason = excerpt(inOneLine(unrevoked), 200);
      say(`The tokens are removed here, but were not revoked: ${reason}`);
    });
  },
});

async function withServer(
  name: string,
  options: LoginFlags,
  failure: string,
  work: (spec: ServerSpec, person: string | undefined) => Promise<void>,
): Promise<ExitCode> {
  const run = async () => {
    const person = clientKey(options);
    const spec = await findServer(name, options.mcp);
    try {
      await work(spec, person);
      return ExitCode.ok;
    } catch (error) {
      if (error instanceof ClimaxError) throw error;
      const message = `Server '${name}': ${excerpt(inOneLine(messageOf(error)), 500)}`;
      throw new ClimaxError(failure, ExitCode.failure, [{ file: spec.file, message }]);
    }
  };
  if (options.profile === undefined) return await run();
  const { isProfileName, profileScope } = await import("../../process/profile.ts");
  if (!isProfileName(options.profile)) {
    const hint = "It is up to 63 of a-z, 0-9 and '-', as in the file of --profiles";
    throw new UsageError(`Not the name of a profile: '${options.profile}'`, hint);
  }
  return await profileScope(options.profile, io().cwd())(run);
}

function clientKey({ for: name, tokens, issuer }: LoginFlags): string | undefined {
  if (name === undefined) {
    if ((tokens ?? issuer) === undefined) return undefined;
    throw new UsageError("--tokens and --issuer say whose name --for is");
  }
  if ((tokens === undefined) === (issuer === undefined)) {
    const hint = `--for ${name} --tokens FILE, or --issuer URL, as the server has it`;
    throw new UsageError("--for needs what checks the name: --tokens or --issuer", hint);
  }
  if (issuer !== undefined) return identityKey({ name, by: "issuer", authority: issuer });
  return identityKey({ name, by: "tokens", authority: resolve(systemPath(tokens!)) });
}
