/** Reads and writes `.climax/lock.json`, the accepted definitions of servers, and compares others with it. */

import { dirname, join } from "node:path";
import * as z from "zod";
import { readJsonDocument } from "../../files/json.ts";
import { readTextFile } from "../../files/text_file.ts";
import { writeWhole } from "../../files/write_file.ts";
import { FileError, type Problem } from "../../errors.ts";
import { canonicalJson, isObject, ownProperty } from "../../text/own_property.ts";
import { sha256 } from "../../text/hash.ts";
import { shellWord } from "../../text/shell_word.ts";
import type { Listing } from "./listing.ts";
import type { Definition } from "./definition.ts";
import { meaningOf as schemaMeaning } from "./repair_schema.ts";
import type { ServerSpec } from "./spec.ts";
import type { Accepted, Thing } from "../../trust/accepted.ts";
import { isThere, protect } from "../../process/protected_paths.ts";
import { climax } from "../../process/own_command.ts";

const acceptedSchema = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "expected 64 hexadecimal digits"),
  definition: z.record(z.string(), z.unknown()),
});

const lockSchema = z.strictObject({
  version: z.literal(1),
  servers: z.record(
    z.string(),
    z.strictObject({
      description: z.string(),
      // The first locks had no hash of the transport
      transport: z.string().regex(/^[0-9a-f]{64}$/, "expected 64 hexadecimal digits").optional(),
      tools: z.record(z.string(), acceptedSchema),
    }),
  ),
});

export type LockFile = z.infer<typeof lockSchema>;

export type AcceptedServer = LockFile["servers"][string];

type LockResult =
  | { readonly ok: true; readonly lock: LockFile | undefined }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly unreadable: boolean };

/** Returns where the lock of the config `file` may be. The first that exists counts. A new lock is the first. */
export function lockPaths(file: string): readonly [own: string, documented: string] {
  const folder = dirname(file);
  return [join(folder, ".climax", "lock.json"), join(folder, ".tamamo-x", "lock.json")];
}

function lockPath(file: string): string {
  const [own, documented] = lockPaths(file);
  return !isThere(own) && isThere(documented) ? documented : own;
}

export async function readServersLock(file: string): Promise<LockResult> {
  // A file that appears at the first path would hide the lock at the second
  for (const each of lockPaths(file)) protect(each);
  for (const path of lockPaths(file)) {
    const read = await readTextFile(path);
    if (!read.ok && read.isMissing) continue;
    if (!read.ok) return { ok: false, problems: [read.problem], unreadable: true };
    const document = await readJsonDocument(path, read.text, lockSchema, { check: checkHashes });
    if (!document.ok) return { ok: false, problems: document.problems, unreadable: false };
    return { ok: true, lock: document.value };
  }
  return { ok: true, lock: undefined };
}

/** Returns the lock that is to be replaced. @throws {ClimaxError} with `failure` if it exists and cannot be read */
export async function lockToReplace(file: string, failure: string): Promise<LockFile> {
  const read = await readServersLock(file);
  if (!read.ok) throw new FileError(failure, ...read.problems);
  return read.lock ?? { version: 1, servers: {} };
}

/** Writes the lock of the config `file`, whole or not at all. */
export async function writeLock(file: string, lock: LockFile): Promise<void> {
  const path = lockPath(file);
  await writeWhole(path, `${JSON.stringify(lock, null, 2)}\n`, { root: dirname(file) });
}

/** Checks that each hash is that of its definition: otherwise a diff would show something else than was accepted. */
function checkHashes(value: unknown) {
  const parsed = lockSchema.safeParse(value);
  if (!parsed.success) return [];
  return Object.entries(parsed.data.servers).flatMap(([server, { tools }]) => {
    return Object.entries(tools).flatMap(([tool, accepted]) => {
      if (definitionHash(accepted.definition as Definition) === accepted.sha256) return [];
      const path = ["servers", server, "tools", tool, "sha256"];
      const message = `'sha256' of tool '${tool}' is not that of its definition`;
      const hint = `Restore the file, or remove it and accept again: ${climax()} trust --all`;
      return [{ path, message, hint }];
    });
  });
}

/** Returns the parts of a definition that agents or people see, or that decide about permissions. */
export function partToAccept(definition: Definition): Partial<Definition> {
  const { name, title, description, inputSchema, outputSchema, annotations, icons } = definition;
  const meta = definition._meta;
  const _meta = meta !== undefined && Object.keys(meta).length > 0 ? meta : undefined;
  // A client fetches icons from any address, and shows people the page of the App in `_meta`
  const part = { name, title, description, inputSchema, outputSchema, annotations, icons, _meta };
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined));
}

const hashes = new WeakMap<Definition, string>();

/** SHA-256 of the accepted part, keys in alphabetical order. */
export function definitionHash(definition: Definition): string {
  return hashes.getOrInsertComputed(
    definition,
    () => sha256(canonicalJson(partToAccept(definition))),
  );
}

/** SHA-256 of the command or address of a server in its file and its login, with variables as they are written. */
export function transportHash(
  { transport, written = transport, auth }: Pick<ServerSpec, "transport" | "written" | "auth">,
): string {
  return sha256(canonicalJson(auth === undefined ? written : { ...written, auth }));
}

/**
 * Remembers which files had a lock or a sandbox in this session. Only files where no tool writes are read again, but a
 * person may loosen something by mistake: when a lock is gone, or when a server of a file with a sandbox loses it, the
 * server is not started until it is accepted.
 */
export class ServedServers {
  /** Files that had a lock. */
  readonly #locked = new Set<string>();
  /** Files with a server in a sandbox. */
  readonly #sandboxed = new Set<string>();
  readonly #served = new Set<string>();

  add(servers: readonly LockedServer[]): void {
    for (const { spec, lock } of servers) {
      if (ownProperty(lock?.servers, spec.name)?.transport === notAccepted) continue;
      if (lock !== undefined) this.#locked.add(spec.file);
      if (spec.transport.kind === "stdio" && spec.transport.sandbox !== undefined) {
        this.#sandboxed.add(spec.file);
      }
      if (!isMoved(lock, spec)) this.#served.add(keyOf(spec));
    }
  }

  /** Returns a warning for each of the files, with their locks, whose lock is gone. */
  warnings(locks: ReadonlyMap<string, LockFile | undefined>): Problem[] {
    return [...locks].flatMap(([file, lock]) => {
      if (lock !== undefined || !this.#locked.has(file)) return [];
      const message = `The lock '${lockPath(file)}' is gone, so no server of this file is started`;
      const words = shellWord(file);
      const hint = `Restore it, or look and accept again: ${climax()} trust --all --mcp ${words}`;
      return [{ file, message, hint }];
    });
  }

  /** Returns `server`, with a lock that does not accept it if a person must look at it again. */
  check({ spec, lock }: LockedServer): LockedServer {
    const accepted = ownProperty(lock?.servers, spec.name);
    const isGone = lock === undefined && this.#locked.has(spec.file);
    const isLoosened = this.#sandboxed.has(spec.file) && !this.#served.has(keyOf(spec)) &&
      accepted?.transport !== transportHash(spec);
    if (!isGone && !isLoosened) return { spec, lock };
    const refused = { description: "", tools: {}, ...accepted, transport: notAccepted };
    return { spec, lock: { version: 1, servers: { ...lock?.servers, [spec.name]: refused } } };
  }
}

/** Returns what this person accepts with an entry of a lock: somebody else may have committed that entry. */
export function serverThing(
  { file, name }: Pick<ServerSpec, "file" | "name">,
  accepted: AcceptedServer,
): Thing {
  return { kind: "server", path: file, part: name, sha256: sha256(canonicalJson(accepted)) };
}

/** True if this person has accepted the entry of the server in the lock, and it has this command or address. */
export function isAcceptedServer({ spec, lock }: LockedServer, known: Accepted): boolean {
  const accepted = ownProperty(lock?.servers, spec.name);
  return accepted?.transport === transportHash(spec) && known.has(serverThing(spec, accepted));
}

/** A server, and the lock of its config. */
export interface LockedServer {
  readonly spec: ServerSpec;
  readonly lock: LockFile | undefined;
}

/** This stands for a hash, and is that of no transport. */
const notAccepted = "none";

function keyOf(spec: ServerSpec): string {
  return [spec.file, spec.name, transportHash(spec), canonicalJson(spec.transport)].join("\0");
}

/** True if there is a lock that does not accept the server with this command or address. */
export function isMoved(lock: LockFile | undefined, spec: ServerSpec): boolean {
  if (lock === undefined) return false;
  const accepted = ownProperty(lock.servers, spec.name);
  // The first locks had no hash of the transport
  return accepted === undefined ||
    (accepted.transport !== undefined && accepted.transport !== transportHash(spec));
}

/** Returns the command with which a person looks at the tools of a server and accepts them. */
export function trustCommand({ name, file }: Pick<ServerSpec, "name" | "file">): string {
  return `${climax()} trust ${shellWord(name)} --mcp ${shellWord(file)}`;
}

/** Says that a server is not started because its command or address is not the accepted one. */
export function explainMoved(name: string): string {
  return `Server '${name}' is not started: its command, address or sandbox is not one that was accepted`;
}

/** Makes the entry of the lock that accepts `listing` of the server `spec`. */
export function lockEntry(
  { definitions, description }: Pick<Listing, "definitions" | "description">,
  spec: Pick<ServerSpec, "transport" | "written" | "auth">,
): AcceptedServer {
  const tools = definitions.map((definition) => {
    return [definition.name, {
      sha256: definitionHash(definition),
      definition: partToAccept(definition),
    }];
  });
  return { description, transport: transportHash(spec), tools: Object.fromEntries(tools) };
}

/** The part of a listing that may be served, and the rest. */
export interface LockComparison {
  readonly listing: Pick<Listing, "definitions" | "description">;
  /** Names of tools that differ from the accepted ones. */
  readonly changed: readonly string[];
  /** Names of tools that were never accepted. */
  readonly fresh: readonly string[];
  /** A person has accepted the server, and no tool has changed since: its prompts and resources may be served. */
  readonly isTrusted: boolean;
}

/** Compares `listing` of the server `name` with `lock`; without one, everything may be served. */
export function compareWithLock(
  lock: LockFile | undefined,
  name: string,
  listing: Pick<Listing, "definitions" | "description">,
): LockComparison {
  if (lock === undefined) return { listing, changed: [], fresh: [], isTrusted: true };
  const known = ownProperty(lock.servers, name);
  const findAccepted = (tool: string) => ownProperty(known?.tools, tool);
  const stateOf = (definition: Definition) => {
    const before = findAccepted(definition.name);
    if (before === undefined) return "fresh";
    return isSameDefinition(before, definition) ? "same" : "changed";
  };
  const by = Map.groupBy(listing.definitions, stateOf);
  const namesOf = (state: "fresh" | "changed") => (by.get(state) ?? []).map((each) => each.name);
  const changed = namesOf("changed");
  return {
    listing: {
      definitions: by.get("same") ?? [],
      description: known?.description === listing.description ? listing.description : "",
    },
    changed,
    fresh: namesOf("fresh"),
    isTrusted: known !== undefined && changed.length === 0,
  };
}

/** True if a definition means the same as the accepted one: some servers give sets in another order at each start. */
export function isSameDefinition(
  accepted: AcceptedServer["tools"][string],
  definition: Definition,
): boolean {
  if (accepted.sha256 === definitionHash(definition)) return true;
  const present = canonicalJson(meaningOf(partToAccept(definition)));
  return canonicalJson(meaningOf(accepted.definition)) === present;
}

function meaningOf(definition: Readonly<Record<string, unknown>>): object {
  const { inputSchema, outputSchema, ...rest } = definition;
  const output = outputSchema === undefined ? {} : { outputSchema: schemaMeaning(outputSchema) };
  return { ...rest, inputSchema: schemaMeaning(inputSchema), ...output };
}

/** Names the part that differs from `accepted`, such as `inputSchema.properties.a`; empty for a new tool. */
export function changedPart(
  accepted: AcceptedServer["tools"][string] | undefined,
  definition: Definition,
): string {
  return pathOfChange(
    meaningOf(accepted?.definition ?? {}),
    meaningOf(partToAccept(definition)),
  ).join(".");
}

/** Returns a path with keys of the accepted definition only: a model should not read the server's new words. */
function pathOfChange(before: unknown, after: unknown): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  const isOther = (key: string) => canonicalJson(before[key]) !== canonicalJson(after[key]);
  const key = Object.keys(before).find(isOther);
  return key === undefined ? [] : [key, ...pathOfChange(before[key], after[key])];
}
