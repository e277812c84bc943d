/** Reads and writes `.climax/lock.json`: the tools of servers as a person accepted them. Finds changes since then. */

import { dirname, join } from "node:path";
import * as z from "zod";
import { readJsonDocument } from "../../files/json.ts";
import { readTextFile } from "../../files/text_file.ts";
import { writeWhole } from "../../files/write_file.ts";
import { FileError, type Problem } from "../../errors.ts";
import { canonicalJson, ownProperty } from "../../text/own_property.ts";
import { sha256 } from "../../text/hash.ts";
import { shellWord } from "../../text/shell_word.ts";
import type { Listing } from "./listing.ts";
import type { Definition } from "./definition.ts";
import { meaningOf as schemaMeaning } from "./repair_schema.ts";
import type { ServerSpec } from "./spec.ts";
import type { Accepted, Thing } from "../../trust/accepted.ts";
import { isThere, protect } from "../../process/protected_paths.ts";
import { climax } from "../../process/own_command.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/, "expected 64 hexadecimal digits");
const acceptedSchema = z.strictObject({
  sha256: hash,
  definition: z.record(z.string(), z.unknown()),
});

const lockSchema = z.strictObject({
  version: z.literal(1),
  servers: z.record(
    z.string(),
    z.strictObject({
      description: z.string(),
      transport: hash,
      tools: z.record(z.string(), acceptedSchema),
    }),
  ),
});

export type LockFile = z.infer<typeof lockSchema>;
export type AcceptedServer = LockFile["servers"][string];

type LockResult =
  | { readonly ok: true; readonly lock: LockFile | undefined }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly unreadable: boolean };

export function lockPaths(file: string): readonly [own: string, documented: string] {
  const folder = dirname(file);
  return [join(folder, ".climax", "lock.json"), join(folder, ".tamamo-x", "lock.json")];
}

function lockPath(file: string): string {
  const [own, documented] = lockPaths(file);
  return !isThere(own) && isThere(documented) ? documented : own;
}

export async function readServersLock(file: string): Promise<LockResult> {
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

/** Returns what the lock file has; empty if there is no file. @throws {ClimaxError} if the lock file cannot be read */
export async function lockToReplace(file: string, failure: string): Promise<LockFile> {
  const read = await readServersLock(file);
  if (!read.ok) throw new FileError(failure, ...read.problems);
  return read.lock ?? { version: 1, servers: {} };
}

export async function writeLock(file: string, lock: LockFile): Promise<void> {
  const path = lockPath(file);
  await writeWhole(path, `${JSON.stringify(lock, null, 2)}\n`, { root: dirname(file) });
}

/** Reports a tool in the lock file whose definition does not fit its hash: nobody has accepted that definition. */
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

export function partToAccept(definition: Definition): Partial<Definition> {
  const { name, title, description, inputSchema, outputSchema, annotations, icons } = definition;
  const _meta = Object.keys(definition._meta ?? {}).length > 0 ? definition._meta : undefined;
  // A person accepts icons and `_meta` too: clients fetch icons from any address, and show the page that `_meta` names
  const part = { name, title, description, inputSchema, outputSchema, annotations, icons, _meta };
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined));
}

const hashes = new WeakMap<Definition, string>();

export function definitionHash(definition: Definition): string {
  return hashes.getOrInsertComputed(definition, (it) => sha256(canonicalJson(partToAccept(it))));
}

/** Returns the hash of a server's command or address, and login. Variables count by their names, not their values. */
export function transportHash(
  { transport, written = transport, auth }: Pick<ServerSpec, "transport" | "written" | "auth">,
): string {
  return sha256(canonicalJson(auth === undefined ? written : { ...written, auth }));
}

/** Does not start a server whose lock file or sandbox is gone: somebody may have removed the protection by mistake. */
export class ServedServers {
  readonly #locked = new Set<string>();
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

  warnings(locks: ReadonlyMap<string, LockFile | undefined>): Problem[] {
    return [...locks].flatMap(([file, lock]) => {
      if (lock !== undefined || !this.#locked.has(file)) return [];
      const message = `The lock '${lockPath(file)}' is gone, so no server of this file is started`;
      const words = shellWord(file);
      const hint = `Restore it, or look and accept again: ${climax()} trust --all --mcp ${words}`;
      return [{ file, message, hint }];
    });
  }

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

/** What a person accepts of one server. A lock file alone is no proof, since another person may have committed it. */
export function serverThing(
  { file, name }: Pick<ServerSpec, "file" | "name">,
  accepted: AcceptedServer,
): Thing {
  return { kind: "server", path: file, part: name, sha256: sha256(canonicalJson(accepted)) };
}

export function isAcceptedServer({ spec, lock }: LockedServer, known: Accepted): boolean {
  const accepted = ownProperty(lock?.servers, spec.name);
  return accepted?.transport === transportHash(spec) && known.has(serverThing(spec, accepted));
}

export interface LockedServer {
  readonly spec: ServerSpec;
  readonly lock: LockFile | undefined;
}

/** Stands in a lock in place of a server's hash. It equals no hash, so the server counts as not accepted. */
const notAccepted = "none";

function keyOf(spec: ServerSpec): string {
  return [spec.file, spec.name, transportHash(spec), canonicalJson(spec.transport)].join("\0");
}

/** True if a lock exists and does not accept the server with its present command or address. */
export function isMoved(lock: LockFile | undefined, spec: ServerSpec): boolean {
  if (lock === undefined) return false;
  return ownProperty(lock.servers, spec.name)?.transport !== transportHash(spec);
}

export function trustCommand({ name, file }: Pick<ServerSpec, "name" | "file">): string {
  return `${climax()} trust ${shellWord(name)} --mcp ${shellWord(file)}`;
}

export function explainMoved(name: string): string {
  return `Server '${name}' is not started: its command, address or sandbox is not one that was accepted`;
}

export function lockEntry(
  { definitions, description }: Pick<Listing, "definitions" | "description">,
  spec: Pick<ServerSpec, "transport" | "written" | "auth">,
): AcceptedServer {
  const tools = definitions.map((each) => {
    return [each.name, { sha256: definitionHash(each), definition: partToAccept(each) }];
  });
  return { description, transport: transportHash(spec), tools: Object.fromEntries(tools) };
}

export interface LockComparison {
  readonly listing: Pick<Listing, "definitions" | "description">;
  readonly changed: readonly string[];
  readonly fresh: readonly string[];
  /** True if the server is accepted and no accepted tool has changed: only then prompts and resources are served. */
  readonly isTrusted: boolean;
}

/** Sorts the listed tools of the server `name` into same, changed and new ones. Without a lock, all count as same. */
export function compareWithLock(
  lock: LockFile | undefined,
  name: string,
  listing: Pick<Listing, "definitions" | "description">,
): LockComparison {
  if (lock === undefined) return { listing, changed: [], fresh: [], isTrusted: true };
  const known = ownProperty(lock.servers, name);
  const { same = [], changed = [], fresh = [] } = Object.groupBy(listing.definitions, (each) => {
    const before = ownProperty(known?.tools, each.name);
    if (before === undefined) return "fresh";
    return isSameDefinition(before, each) ? "same" : "changed";
  });
  return {
    listing: {
      definitions: same,
      description: known?.description === listing.description ? listing.description : "",
    },
    changed: changed.map((each) => each.name),
    fresh: fresh.map((each) => each.name),
    isTrusted: known !== undefined && changed.length === 0,
  };
}

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
