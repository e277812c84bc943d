/** Starts the browser of the user, which outlives this process and is not awaited. */

import { childOptions } from "../io.ts";
import { findProgram } from "./find_program.ts";

const openers: Partial<Record<typeof Deno.build.os, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  windows: ["rundll32", "url.dll,FileProtocolHandler"],
};

export function openBrowser(address: string): boolean {
  const [name, ...args] = openers[Deno.build.os] ?? ["xdg-open"];
  const program = findProgram(name!, { env: {} });
  if (program === undefined) return false;
  try {
    new Deno.Command(program, {
      args: [...args, address],
      ...childOptions({}),
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
