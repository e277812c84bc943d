/** Checks bearer tokens by a file of lines `NAME SHA256 [SCOPE…]`, read again when changed, if no tool can write it. */

import { systemPath } from "../../io.ts";
import { protect } from "../../process/protected_paths.ts";
import { timingSafeEqual } from "node:crypto";
import { resolve } from "node:path";
import type { IncomingMessage } from "node:http";
import { type Clock, systemClock } from "../../async/clock.ts";
import { ClimaxError, FileError, formatPlace, messageOf, type Problem } from "../../errors.ts";
import { log } from "../../log.ts";
import { quote } from "../../text/excerpt.ts";
import { exposureTo } from "../../process/permissions.ts";
import { identityKey } from "../../process/identity.ts";
import { shellWord } from "../../text/shell_word.ts";
import { errorReply } from "./answer.ts";
import {
  type Authenticator,
  bearerToken,
  type HttpClientIdentity,
  type Refused,
} from "./client.ts";
import { isWritable, warnChanged, warnReadOnce } from "../../exec/writable_folders.ts";
import { stampOfPath } from "../../process/folders.ts";
import { climax } from "../../process/own_command.ts";

const checkMs = 1000;

/** Every token begins with this prefix, by which scanners recognise leaked tokens. */
const prefix = "climax_";

interface Entry {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly hash: Uint8Array;
}

type Entries = ReadonlyMap<string, Entry>;

/** Returns a token of 256 random bits and its line. @throws {TypeError} for names that {@linkcode isName} refuses */
export async function newToken(name: string, scopes: readonly string[] = []) {
  if (!isName(name)) throw new TypeError(`Not a name for a token: ${quote(name)}`);
  const bits = crypto.getRandomValues(new Uint8Array(32));
  const token = `${prefix}${bits.toBase64({ alphabet: "base64url", omitPadding: true })}`;
  return { token, line: [name, (await hashOf(token)).toHex(), ...scopes].join(" ") };
}

/** Returns whether a token may have this name, which must be safe in log lines and in the file. */
export function isName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/.test(name);
}

/** @throws {ClimaxError} if the file at `path` is invalid */
export function tokenAuthenticator(path: string, clock: Clock = systemClock): Authenticator {
  let entries = readTokens(path);
  // The path of the file, with links unresolved, is a part of clients' identities, because an update may replace a link
  const authority = resolve(systemPath(path));
  if (entries.size === 0) {
    const remedy = `${climax()} token new adds one`;
    log("warning", `${path} has no token: every request is refused until ${remedy}`);
  }
  warnReadOnce([path]);
  const lines = new WeakMap<HttpClientIdentity, string>();
  let knownStamp = stampOfPath(path);
  let lookedAt = clock.now();

  function current(): Entries {
    if (clock.now() - lookedAt < checkMs) return entries;
    lookedAt = clock.now();
    const stamp = stampOfPath(path);
    if (stamp === knownStamp) return entries;
    knownStamp = stamp;
    if (isWritable(path)) {
      warnChanged(path);
      return entries;
    }
    try {
      entries = readTokens(path);
      log("info", `Tokens reloaded: ${entries.size}`);
    } catch (error) {
      // A file with an error makes every token invalid, because the change may have been meant to remove a client
      entries = new Map();
      log("error", `No token is accepted any more: ${problemsOf(error)}`);
    }
    return entries;
  }

  return {
    async authenticate(req: IncomingMessage): Promise<HttpClientIdentity | Refused> {
      const token = bearerToken(req);
      if (token === undefined) return refuseToken("Bearer", "A bearer token is required");
      const hash = await hashOf(token);
      let found: readonly [line: string, entry: Entry] | undefined;
      // Every entry is compared, so that the time of the answer does not tell which entry matched
      for (const each of current()) if (timingSafeEqual(each[1].hash, hash)) found ??= each;
      if (found === undefined) {
        return refuseToken(`Bearer error="invalid_token"`, "Unknown bearer token");
      }
      const [line, { name, scopes }] = found;
      const client = { name, key: identityKey({ name, by: "tokens", authority }), scopes };
      lines.set(client, line);
      return client;
    },
    accepts: (client) => current().has(lines.get(client) ?? ""),
  };
}

function refuseToken(challenge: string, message: string): Refused {
  return { reply: errorReply(401, message, { "www-authenticate": challenge }) };
}

function readTokens(path: string): Entries {
  let text: string;
  try {
    text = Deno.readTextFileSync(systemPath(protect(path, "hidden")));
  } catch (error) {
    const message = `Token file cannot be read: ${messageOf(error)}`;
    const remedy = `${climax()} token new NAME --file ${shellWord(path)}`;
    const isMissing = error instanceof Deno.errors.NotFound;
    const hint = isMissing ? { hint: `Make it with its first token: ${remedy}` } : {};
    throw new FileError("There are no tokens", { file: path, message, ...hint });
  }
  const exposure = exposureTo(path, "change");
  if (exposure !== undefined) throw new FileError("Tokens cannot be read", exposure);
  const problems: Problem[] = [];
  const entries = new Map<string, Entry>();
  const names = new Set<string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [name = "", hash, ...scopes] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (name === "") continue;
    const problem = (message: string) => problems.push({ file: path, line: index + 1, message });
    if (!isName(name)) problem(`Not a name for a token: ${quote(name)}`);
    else if (!/^[0-9a-f]{64}$/i.test(hash ?? "")) {
      problem(`Token '${name}': expected the SHA-256 of a token, 64 hexadecimal digits`);
    } else if (names.has(name)) {
      problem(`Duplicate token name '${name}'`);
    } else {
      names.add(name);
      const entry = { name, scopes, hash: Uint8Array.fromHex(hash!) };
      entries.set([name, hash, ...scopes].join(" "), entry);
    }
  }
  if (problems.length > 0) throw new FileError("Tokens cannot be read", ...problems);
  return entries;
}

async function hashOf(token: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token)));
}

function problemsOf(error: unknown): string {
  if (!(error instanceof ClimaxError)) return messageOf(error);
  return error.problems.map((each) => `${formatPlace(each)}: ${each.message}`).join("; ");
}
