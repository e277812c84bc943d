/** The client of `climax run --http` whose login a person makes or removes, by the options that the server has. */

import { resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { systemPath } from "../io.ts";
import { identityKey } from "../process/identity.ts";
import { textOption } from "./options.ts";

export const clientOption = () =>
  textOption("--for <name>", "the login of a client of climax run --http, by its name there");

export const tokensOfClient = () => textOption("--tokens <file>", "the server's file of tokens");

export const issuerOfClient = () => textOption("--issuer <url>", "the server's issuer of tokens");

interface ClientFlags {
  readonly for?: string | undefined;
  readonly tokens?: string | undefined;
  readonly issuer?: string | undefined;
}

/** The key of the client; absent: the login is that of the person. @throws {UsageError} */
export function clientKey({ for: name, tokens, issuer }: ClientFlags): string | undefined {
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
