/** Stores each login to a server in a file of its own, which only its owner can read. */

import { dirname, join } from "node:path";
import { rm } from "node:fs/promises";
import * as z from "zod";
import { ClimaxError, FileError, messageOf } from "../../../errors.ts";
import { exposureOf, makePrivateFolder, writeWhole } from "../../../files/write_file.ts";
import { fileStamp, loginsFolder } from "../../../process/folders.ts";
import { sha256 } from "../../../text/hash.ts";

export interface LoginKey {
  readonly server: string;
  /** The address of the server, with the values of its variables. */
  readonly address: string;
  readonly person?: string | undefined;
}

const storedLoginSchema = z.object({
  version: z.literal(1),
  server: z.string(),
  address: z.string(),
  person: z.string().optional(),
  /** Tokens are renewed at this authorization server, even if the MCP server names another later. */
  issuer: z.string(),
  tokenEndpoint: z.string(),
  tokenEndpointAuthMethods: z.array(z.string()).optional(),
  revocationEndpoint: z.string().optional(),
  /** The address that the tokens are for (RFC 8707, resource indicator). */
  resource: z.string(),
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
  }),
  isPreregistered: z.boolean(),
  accessToken: z.string().min(1).optional(),
  refreshToken: z.string().min(1).optional(),
  /** The end of the access token in milliseconds since 1970; absent if unknown. */
  expires: z.number().optional(),
  scope: z.string().optional(),
});

export type StoredLogin = z.infer<typeof storedLoginSchema>;

/** Returns the path of a login's file; nothing if the home folder is unknown. */
export function loginPath({ server, address, person }: LoginKey): string | undefined {
  const folder = loginsFolder();
  if (folder === undefined) return undefined;
  const name = server.replace(/[^\w-]+/g, "_").slice(0, 40);
  const hash = sha256(JSON.stringify([server, address, person ?? null]));
  return join(folder, `${name}-${hash.slice(0, 32)}.json`);
}

/** @throws {ClimaxError} if other users can read the file of the login, or the file is no login */
export async function readLogin(key: LoginKey): Promise<StoredLogin | undefined> {
  const path = loginPath(key);
  const login = path === undefined ? undefined : await readLoginFile(path);
  const isOwn = login?.server === key.server && login.address === key.address &&
    login.person === key.person;
  return isOwn ? login : undefined;
}

async function readLoginFile(path: string): Promise<StoredLogin | undefined> {
  const unusable = (message: string) => {
    const hint = "Remove the file, and log in again";
    return new FileError("A login cannot be used", { file: path, message, hint });
  };
  try {
    const exposure = exposureOf(path);
    if (exposure !== undefined) throw unusable(exposure);
    return storedLoginSchema.parse(JSON.parse(await Deno.readTextFile(path)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof ClimaxError) throw error;
    // A parser's message would quote a part of the file, which has tokens, so it is not shown
    const isParsed = error instanceof SyntaxError || error instanceof z.ZodError;
    throw unusable(isParsed ? "This is not a login" : `Login cannot be read: ${messageOf(error)}`);
  }
}

/** @throws {ClimaxError} if the file of the login cannot be written */
export async function writeLogin(login: StoredLogin): Promise<void> {
  const path = await makeLoginPath(login);
  // A link is removed first: to write through it would change another file
  const isLink = await Deno.lstat(path).then((it) => it.isSymlink, () => false);
  if (isLink) await Deno.remove(path);
  await writeWhole(path, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
}

/** The caller must hold the lock of the login (`withLoginLocked`). */
export async function removeLogin(key: LoginKey): Promise<void> {
  const path = loginPath(key);
  if (path === undefined) return;
  await rm(path, { force: true });
  await rm(`${path}.lock`, { force: true });
}

/** Reads all logins at `server`, at any of its addresses. Files that are no usable login are skipped. */
export async function loginsAt(server: string): Promise<StoredLogin[]> {
  const folder = loginsFolder();
  if (folder === undefined) return [];
  const logins: StoredLogin[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (!name.endsWith(".json")) continue;
      const login = await readLoginFile(join(folder, name)).catch(() => undefined);
      if (login?.server === server && loginPath(login) === join(folder, name)) logins.push(login);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable)) {
      throw error;
    }
  }
  return logins.toSorted((a, b) => (a.person ?? "") < (b.person ?? "") ? -1 : 1);
}

export function loginStamp(key: LoginKey): string {
  const path = loginPath(key);
  try {
    return path === undefined ? "" : fileStamp(Deno.statSync(path));
  } catch {
    return "";
  }
}

/** @throws {ClimaxError} if the folder of logins cannot be written */
export async function withLoginLocked<T>(key: LoginKey, work: () => Promise<T>): Promise<T> {
  const path = await makeLoginPath(key);
  const lock = await Deno.open(`${path}.lock`, { write: true, create: true, mode: 0o600 });
  try {
    await lock.lock(true);
    return await work();
  } finally {
    lock.close();
  }
}

async function makeLoginPath(key: LoginKey): Promise<string> {
  const path = loginPath(key);
  if (path === undefined) {
    throw new FileError("A login cannot be kept", {
      message: "No folder for it is known",
      hint: "Set HOME or CLIMAX_STATE_DIR",
    });
  }
  await makePrivateFolder(dirname(path));
  return path;
}
