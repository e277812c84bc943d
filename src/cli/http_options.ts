/** Defines the options of serving over HTTP, and checks them. */

import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import { UsageError } from "../errors.ts";
import { climax } from "../process/own_command.ts";
import { type FlagsOf, listOption, numberOption, secondsOption, textOption } from "./options.ts";

export type HttpFlags = Partial<FlagsOf<ReturnType<typeof httpOptions>>>;

export function withHttpOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
): Command<Args, Options & HttpFlags> {
  for (const option of Object.values(httpOptions())) {
    command.addOption((option as Option).helpGroup("Over HTTP:"));
  }
  return command as unknown as Command<Args, Options & HttpFlags>;
}

function httpOptions() {
  return {
    http: textOption("--http <address>", "serve over HTTP at [HOST:]PORT, path /mcp"),
    tokens: textOption(
      "--tokens <file>",
      `require a bearer token from this file (${climax()} token new)`,
    ),
    issuer: textOption("--issuer <url>", "require an OAuth token from this issuer"),
    audience: textOption("--audience <url>", "audience that its tokens must name"),
    untypedTokens: new Option(
      "--untyped-tokens",
      "accept tokens of the issuer whose type (typ) is JWT or missing, and not at+jwt",
    ),
    clients: textOption(
      "--clients <file>",
      "policy of each client, from this file, instead of --policy",
    ),
    profiles: textOption("--profiles <file>", "serve each profile of this file at /mcp/p/NAME"),
    allowHost: listOption("--allow-host <name>", "a host name that requests may use (repeatable)"),
    allowOrigin: listOption(
      "--allow-origin <origin>",
      "a website whose pages may send requests and read answers (repeatable)",
    ),
    tlsCert: textOption("--tls-cert <file>", "serve over TLS with this certificate (PEM)"),
    tlsKey: textOption("--tls-key <file>", "private key of the certificate (PEM)"),
    shutdownTimeout: secondsOption(
      "--shutdown-timeout <seconds>",
      "seconds that running calls have to finish after SIGTERM",
    ),
    metrics: textOption(
      "--metrics <address>",
      "serve Prometheus metrics at [HOST:]PORT, path /metrics",
    ),
    clientRequests: numberOption(
      "--client-requests <number>",
      "how many unanswered requests one client may have",
      1,
    ),
    clientRate: numberOption(
      "--client-rate <number>",
      "how many requests one client may send in a minute",
      1,
    ),
    state: textOption(
      "--state <url>",
      "share state with other instances through this Valkey or Redis",
    ),
    signingKey: textOption("--signing-key <file>", "key that all instances share, for --state"),
  };
}

export function httpFlagsOf(options: HttpFlags): HttpFlags {
  const own = httpOptions();
  return Object.fromEntries(Object.entries(options).filter(([key]) => Object.hasOwn(own, key)));
}

/**
 * Refuses options of serving over HTTP without `--http`, and combinations of these options that cannot work.
 * @throws {UsageError}
 */
export function checkHttpFlags({ http, ...flags }: HttpFlags, policy: string | undefined): void {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  if (http === undefined && given.length > 0) {
    throw new UsageError(`${optionOf(given[0]![0])} requires --http`);
  }
  const pairs = [["tlsCert", "tlsKey"], ["issuer", "audience"]] as const;
  for (const [one, other] of pairs) {
    if ((flags[one] === undefined) !== (flags[other] === undefined)) {
      throw new UsageError(`${optionOf(one)} and ${optionOf(other)} must be given together`);
    }
  }
  const { clients, tokens, issuer, state, signingKey, untypedTokens } = flags;
  const rules: readonly [isBroken: boolean | undefined, message: string, hint?: string][] = [
    [
      state !== undefined && signingKey === undefined,
      "--state requires --signing-key, the same for all instances",
      `Make one: ${climax()} token key --file signing.key`,
    ],
    [state === undefined && signingKey !== undefined, "--signing-key requires --state"],
    [untypedTokens && issuer === undefined, "--untyped-tokens requires --issuer"],
    [tokens !== undefined && issuer !== undefined, "--tokens and --issuer exclude each other"],
    [
      clients !== undefined && policy !== undefined,
      "--clients and --policy exclude each other",
      "Name the policy in the file of clients, as `default`",
    ],
    [
      clients !== undefined && (tokens ?? issuer) === undefined,
      "--clients requires --tokens or --issuer: clients have no names without them",
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken !== undefined) throw new UsageError(broken[1], broken[2]);
}

export function optionOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
