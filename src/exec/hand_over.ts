/** Starts a program for the person and leaves it alone: it outlives us, and nobody waits for it. */

import { findProgram } from "./find_program.ts";

/** What opens an address the way the person has set it up, by system. */
const openers: Partial<Record<typeof Deno.build.os, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  windows: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens `address` in the person's browser; whether something could be started for it. */
export async function openAddress(address: string): Promise<boolean> {
  const [name, ...args] = openers[Deno.build.os] ?? ["xdg-open"];
  const program = await findProgram(name!, { env: {} });
  if (program === undefined) return false;
  try {
    new Deno.Command(program, {
      args: [...args, address],
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn().unref();
    return true;
  } catch {
    return false;
  }
}
