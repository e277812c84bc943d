/** Defines the options of serving over HTTP, and checks them. */

import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import { UsageError } from "../errors.ts";
import { listOption, numberOption, seconds, textOption } from "./options.ts";
import { climax } from "../process/own_command.ts";

type ValueOf<Chosen> = Chosen extends Option<string, undefined, undefined, infer Value>
  ? Value extends undefined ? true : Value
  : never;

export type HttpFlags = {
  readonly [Key in keyof ReturnType<typeof httpOptions>]?:
    | ValueOf<ReturnType<typeof httpOptions>[Key]>
    | undefined;
};

/** Adds an option for each key of {@linkcode HttpFlags}. A test compares keys and options, because types cannot. */
export function withHttpOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
): Command<Args, Options & HttpFlags> {
  for (const option of Object.values(httpOptions())) {
    command.addOption(option.helpGroup("Over HTTP:"));
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
    shutdownTimeout: new Option(
      "--shutdown-timeout <seconds>",
      "seconds that running calls have to finish after SIGTERM",
    ).argParser(seconds("--shutdown-timeout")),
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

/** Refuses options of HTTP without `--http`, and one of two options that belong together. @throws {UsageError} */
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
  if (flags.state !== undefined && flags.signingKey === undefined) {
    const hint = `Make one: ${climax()} token key --file signing.key`;
    throw new UsageError("--state requires --signing-key, the same for all instances", hint);
  }
  if (flags.state === undefined && flags.signingKey !== undefined) {
    throw new UsageError("--signing-key requires --state");
  }
  if (flags.untypedTokens && flags.issuer === undefined) {
    throw new UsageError("--untyped-tokens requires --issuer");
  }
  if (flags.tokens !== undefined && flags.issuer !== undefined) {
    throw new UsageError("--tokens and --issuer exclude each other");
  }
  if (flags.clients !== undefined && policy !== undefined) {
    const hint = "Name the policy in the file of clients, as `default`";
    throw new UsageError("--clients and --policy exclude each other", hint);
  }
  if (flags.clients !== undefined && (flags.tokens ?? flags.issuer) === undefined) {
    throw new UsageError(
      "--clients requires --tokens or --issuer: clients have no names without them",
    );
  }
}

function optionOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
