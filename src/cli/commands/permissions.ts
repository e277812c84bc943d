/** `climax permissions`: prints the Deno flags that serving some configs takes, and no others. */

import type { Command } from "@commander-js/extra-typings";
import { ExitCode, UsageError } from "../../errors.ts";
import type { SessionPermissions } from "../../session/permissions.ts";
import { permissionFlags } from "../../pack/permission_flags.ts";
import { addressText, parseAddress } from "../../process/address.ts";
import { shellWord } from "../../text/shell_word.ts";
import { examplesHere } from "../local_examples.ts";
import type { CommandArguments, Example } from "../command.ts";
import { configOption, configsHelp, requireSource } from "../config_words.ts";
import {
  auditOption,
  jsonOption,
  mcpOption,
  policyOption,
  sandboxOption,
  scriptsOption,
  strictOption,
} from "../options.ts";
import { harmless } from "../../text/escape.ts";
import { print, printJson } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Print the Deno permissions that serving these configs needs, and no others")
    .argument("[config...]", configsHelp)
    .addOption(configOption())
    .addOption(mcpOption())
    .addOption(policyOption())
    .addOption(sandboxOption())
    .addOption(scriptsOption())
    .addOption(strictOption())
    .addOption(auditOption())
    .option("--resolve", "name programs by their absolute paths")
    .option("--http <address>", "add what serving over HTTP at [HOST:]PORT needs")
    .option("--metrics <address>", "add what metrics at [HOST:]PORT need")
    .option("--tokens <file>", "add what reading this tokens file needs")
    .option("--issuer <url>", "add what checking tokens of this issuer needs")
    .addOption(jsonOption());
}

export const examples: readonly Example[] = [
  ["permissions git --resolve", "print flags for `deno run`, with the path of git"],
  ["permissions git --http 8080 --tokens tokens.txt", "print flags for serving over HTTP"],
];

/** Prints the flags on one line. */
export async function run(
  ...[named, options]: CommandArguments<typeof define>
): Promise<ExitCode> {
  const { config, mcp, policy, sandbox, scripts, strict, audit, json, resolve = false } = options;
  const configs = requireSource(mcp, named, config);
  const { openSession } = await import("../../session/session.ts");
  const examples = await examplesHere();
  await using session = await openSession({
    configs,
    mcp,
    policy,
    sandbox,
    scripts,
    strict,
    examples,
  });
  const { codeFolders } = await import("../../worker/run_task.ts");
  const own = await session.permissions({ resolve, audit });
  const needs = withHttp({ ...own, read: [...own.read, ...codeFolders()] }, options);
  const flags = permissionFlags(needs);
  if (json) await printJson({ flags, ...needs });
  else await print(harmless(flags.map((flag) => shellWord(flag)).join(" ")));
  return ExitCode.ok;
}

interface HttpParts {
  readonly http?: string | undefined;
  readonly metrics?: string | undefined;
  readonly tokens?: string | undefined;
  readonly issuer?: string | undefined;
}

function withHttp(
  needs: SessionPermissions,
  { http, metrics, tokens, issuer }: HttpParts,
): SessionPermissions {
  const addresses = [http, metrics].flatMap((text) => {
    return text === undefined ? [] : [addressText(parseAddress(text))];
  });
  const issuers = issuer === undefined ? [] : [hostOf(issuer)];
  return {
    ...needs,
    read: [...needs.read, ...tokens ? [tokens] : []],
    net: needs.net === "all" ? "all" : [...needs.net, ...addresses, ...issuers],
  };
}

function hostOf(issuer: string): string {
  const url = URL.parse(issuer);
  if (url !== null && url.host !== "") return url.host;
  throw new UsageError(`--issuer takes a URL, not '${issuer}'`);
}
