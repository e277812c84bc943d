/** `climax logout`: removes the tokens of a login to an MCP server, and tells its authorization server so. */

import { ClimaxError, ExitCode, messageOf } from "../../errors.ts";
import { say } from "../../log.ts";
import { requireVariable } from "../../process/environment.ts";
import { inOneLine } from "../../text/escape.ts";
import { excerpt } from "../../text/excerpt.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { clientKey, clientOption, issuerOfClient, tokensOfClient } from "../login_client.ts";
import { inProfile, shared } from "../options.ts";
import { printText } from "../output.ts";
import { findServer } from "../project_file.ts";

export function define(command: Command) {
  return command
    .description("Remove the tokens of a login to an MCP server, and revoke them")
    .argument("<server>", "name of the server in climax.json or .mcp.json")
    .addOption(clientOption())
    .addOption(tokensOfClient())
    .addOption(issuerOfClient())
    .addOption(shared.profile())
    .addOption(shared.mcp());
}

export const examples: readonly Example[] = [
  ["logout issues", "remove your own login"],
  ["logout issues --for ada --tokens tokens.txt", "remove that of one client of an HTTP server"],
];

/** Without a login there is nothing to do, which is not an error. */
export async function run(...[name, options]: CommandArguments<typeof define>) {
  return await inProfile(options.profile, () => logOutOf(name, options));
}

async function logOutOf(name: string, options: CommandArguments<typeof define>[1]) {
  const spec = await findServer(name, options.mcp);
  const person = clientKey(options);
  const { logOut } = await import("../../sources/upstream/login/logins.ts");
  try {
    const { count, unrevoked } = await logOut(spec, { environment: requireVariable, person });
    await printText(`server '${name}': ${count === 0 ? "there was no login" : "logged out"}`);
    if (unrevoked !== undefined) {
      const reason = excerpt(inOneLine(unrevoked), 200);
      say(`The tokens are removed here, but were not revoked: ${reason}`);
    }
    return ExitCode.ok;
  } catch (error) {
    if (error instanceof ClimaxError) throw error;
    const message = `Server '${name}': ${messageOf(error)}`;
    throw new ClimaxError("The login was not removed", ExitCode.failure, [{
      file: spec.file,
      message,
    }]);
  }
}
