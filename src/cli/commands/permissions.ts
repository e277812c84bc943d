/** `climax permissions`: prints the Deno flags that serving some configs takes, and no others. */

import type { Command } from "@commander-js/extra-typings";
import { ExitCode, FileError, UsageError } from "../../errors.ts";
import { allPermissions, type SessionPermissions } from "../../session/permissions.ts";
import { addressText, parseAddress } from "../../process/address.ts";
import { readStateAddress } from "../../state/address.ts";
import { shellWord } from "../../text/shell_word.ts";
import { examplesHere } from "../project_file.ts";
import type { CommandArguments, Example } from "../command.ts";
import { configsHelp, requireSource } from "../config_words.ts";
import { shared } from "../options.ts";
import { harmless } from "../../text/escape.ts";
import { print, printJson } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Print the Deno permissions that serving these configs needs, and no others")
    .argument("[config...]", configsHelp)
    .addOption(shared.config())
    .addOption(shared.mcp())
    .addOption(shared.policy())
    .addOption(shared.sandbox())
    .addOption(shared.scripts())
    .addOption(shared.strict())
    .addOption(shared.audit())
    .option("--resolve", "name programs by their absolute paths")
    .option("--http <address>", "add what serving over HTTP at [HOST:]PORT needs")
    .option("--metrics <address>", "add what metrics at [HOST:]PORT need")
    .option("--tokens <file>", "add what reading this tokens file needs")
    .option("--issuer <url>", "add what checking tokens of this issuer needs")
    .option("--profiles <file>", "add what serving the profiles of this file needs")
    .option("--state <url>", "add what sharing state through this Valkey or Redis needs")
    .option("--signing-key <file>", "add what reading this key needs")
    .addOption(shared.json());
}

export const examples: readonly Example[] = [
  ["permissions git --resolve", "print flags for `deno run`, with the path of git"],
  ["permissions git --http 8080 --tokens tokens.txt", "print flags for serving over HTTP"],
];

/** Prints the flags on one line. */
export async function run(...[named, options]: CommandArguments<typeof define>) {
  const { config, mcp, policy, sandbox, scripts, strict, audit, json, resolve = false } = options;
  const { profiles } = options;
  const isPlain = profiles === undefined || named.length > 0 || (config ?? mcp) !== undefined;
  const configs = isPlain ? requireSource(mcp, named, config) : [];
  const { profilePermissions, sessionPermissions } = await import("../served_permissions.ts");
  const examples = await examplesHere();
  const session = { configs, mcp, policy, sandbox, scripts, strict, examples };
  const needed: SessionPermissions[] = [];
  const asked = { resolve, audit };
  if (isPlain) needed.push(await sessionPermissions(session, asked));
  if (profiles !== undefined) needed.push(...await profilePermissions(profiles, session, asked));
  const { codeFolders } = await import("../../worker/run_task.ts");
  const own = allPermissions(needed);
  const needs = withHttp({ ...own, read: [...own.read, ...codeFolders()] }, options);
  const flags = permissionFlags(needs);
  if (json) await printJson({ flags, ...needs });
  else await print(harmless(flags.map((flag) => shellWord(flag)).join(" ")));
  return ExitCode.ok;
}

function withHttp(
  needs: SessionPermissions,
  { http, metrics, tokens, issuer, state, signingKey }: CommandArguments<typeof define>[1],
): GrantedPermissions {
  // The values of its variables may be on another machine
  const store = state === undefined ? undefined : readStateAddress(state, (name) => name);
  const addresses = [http, metrics].flatMap((text) => {
    return text === undefined ? [] : [addressText(parseAddress(text))];
  });
  const issuers = issuer === undefined ? [] : [hostOf(issuer)];
  return {
    ...needs,
    read: [
      ...needs.read,
      ...[tokens, signingKey, store?.authority].filter((file) => file !== undefined),
    ],
    // Its client reads the names of all variables
    env: store === undefined ? needs.env : "all",
    net: needs.net === "all"
      ? "all"
      : [...needs.net, ...addresses, ...issuers, ...store ? [addressText(store)] : []],
  };
}

function hostOf(issuer: string): string {
  const url = URL.parse(issuer);
  if (url !== null && url.host !== "") return url.host;
  throw new UsageError(`--issuer takes a URL, not '${issuer}'`);
}

/** The permissions of a process, which may read all variables. */
type GrantedPermissions = Omit<SessionPermissions, "env"> & {
  readonly env: readonly string[] | "all";
};

/** Formats flags, one for each kind. @throws {ClimaxError} for a name that no flag can contain */
function permissionFlags({ run, read, write, env, net }: GrantedPermissions): string[] {
  return Object.entries({ run, read, write, env, net }).flatMap(([kind, values]) => {
    if (values === "all") return [`--allow-${kind}`];
    const problems = values.filter((value) => value.includes(",")).map((value) => ({
      message: `'${value}' has a comma in it, which a flag of Deno takes for the end of a name`,
    }));
    if (problems.length > 0) throw new FileError("The flags were not written", ...problems);
    return values.length === 0 ? [] : [`--allow-${kind}=${values.join(",")}`];
  });
}
