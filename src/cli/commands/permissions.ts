/** `climax permissions`: the Deno flags that serving some configs takes, and nothing more. */

import type { Command } from "@commander-js/extra-typings";
import { ExitCode } from "../../errors.ts";
import { permissionFlags } from "../../pack/permission_flags.ts";
import { shellWord } from "../../text/shell_word.ts";
import type { Example, Words } from "../commands.ts";
import {
  auditOption,
  configsHelp,
  jsonOption,
  mcpOption,
  policyOption,
  somethingToLoad,
  strictOption,
} from "../options.ts";
import { print } from "../output.ts";

/** The words of `climax permissions`. */
export function grammar(command: Command) {
  return command
    .description("Print the Deno permissions that serving these configs takes, and no more")
    .argument("[config...]", configsHelp)
    .addOption(mcpOption())
    .addOption(policyOption())
    .addOption(strictOption())
    .addOption(auditOption())
    .option("--resolve", "name programs by their absolute paths")
    .addOption(jsonOption());
}

export const examples: readonly Example[] = [
  ["permissions git --resolve", "print flags for `deno run`, with the path of git"],
];

/** Prints the flags on one line. */
export async function action(...[named, options]: Words<typeof grammar>): Promise<ExitCode> {
  const { mcp, policy, strict, audit, json, resolve = false } = options;
  const configs = somethingToLoad(named, mcp);
  const { openSession } = await import("../../session.ts");
  await using session = await openSession({ configs, mcp, policy, strict });
  const needs = await session.needs({ resolve, audit });
  const flags = permissionFlags(needs);
  await print(
    json ? JSON.stringify({ flags, ...needs }, null, 2) : flags.map(forShell).join(" "),
  );
  return ExitCode.ok;
}

function forShell(flag: string): string {
  return shellWord(flag, Deno.build.os === "windows" ? "windows" : "posix");
}
