/**
 * Finds MCP clients, and reads and writes their files. A link is followed, except out of a project; permissions are
 * kept; and a file that changed since it was read is not overwritten.
 */

import { dirname, resolve } from "node:path";
import { io, systemPath } from "../io.ts";
import { linkTarget, replaceFile, targetOutside } from "../files/write_file.ts";
import { contains, homeFolders, statOf } from "../process/folders.ts";
import { ClimaxError, FileError, formatProblem, messageOf } from "../errors.ts";
import { clients, filesOf, type McpClientProgram, type Scope, scopes } from "./clients.ts";
import { commandOfConnected } from "./connect.ts";

export interface ClientFile {
  readonly path: string;
  readonly text: string | undefined;
  readonly mode: number | undefined;
  /** The path of the file's backup, without the suffix that is added to it. @default the file's own path */
  readonly backup?: string;
}

/** A client's file has at most this many bytes: some clients store their history in it. */
const maxBytes = 64 * 1024 * 1024;

/** Reads the file at `path`. @throws {ClimaxError} when it exists and cannot be read as UTF-8 */
export async function readClientFile(path: string): Promise<ClientFile> {
  try {
    const target = await Deno.realPath(systemPath(path));
    const { mode, isFile, size } = await Deno.stat(target);
    if (!isFile) throw failureOf(path, "The file cannot be read: it is not a regular file");
    if (size > maxBytes) {
      throw failureOf(path, `The file cannot be read: it has more than ${maxBytes} bytes`);
    }
    const bytes = await Deno.readFile(target);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path: target, text, mode: mode ?? undefined };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      return { path: await endOfLinks(path), text: undefined, mode: undefined };
    }
    if (error instanceof ClimaxError) throw error;
    const reason = error instanceof TypeError ? "it is not UTF-8 text" : messageOf(error);
    throw failureOf(path, `The file cannot be read: ${reason}`);
  }
}

/**
 * Reads an MCP client's file in a project.
 * @throws {ClimaxError} if it is unreadable or a link that leads out of `folder`
 */
export async function readProjectFile(path: string, folder: string): Promise<ClientFile> {
  const file = await readClientFile(path);
  const target = await targetOutside(path, folder);
  if (target === undefined) return file;
  throw failureOf(path, `The file is a link out of the project: it leads to '${target}'`);
}

async function endOfLinks(path: string): Promise<string> {
  const isLink = await Deno.lstat(systemPath(path)).then((it) => it.isSymlink, () => false);
  if (!isLink) return path;
  try {
    return await linkTarget(path);
  } catch (error) {
    throw failureOf(path, `The file cannot be read: ${messageOf(error)}`);
  }
}

export function backupName({ path, backup = path }: ClientFile): string {
  return `${backup}.climax.bak`;
}

export async function backupOf(file: ClientFile): Promise<string | undefined> {
  return (await readClientFile(backupName(file))).text;
}

export type BackupStep = "write" | "keep" | "remove";

export async function writeClientFile(
  file: ClientFile,
  text: string | undefined,
  backup: BackupStep,
): Promise<void> {
  const { path, mode } = file;
  if ((await readClientFile(path)).text !== file.text) {
    throw failureOf(path, "The file was changed meanwhile, by its client perhaps", "Try again");
  }
  if (mode !== undefined && (mode & 0o200) === 0) {
    const hint = "Make it writable, or add by hand what --print prints";
    throw failureOf(path, "The file is read-only", hint);
  }
  try {
    if (backup === "write" && file.text !== undefined) await backUp(file.text, file);
    if (text === undefined) await removeWithFolders(path);
    else {
      await Deno.mkdir(systemPath(dirname(path)), { recursive: true });
      await replaceFile(path, text, { mode });
    }
    if (backup === "remove") await Deno.remove(systemPath(backupName(file))).catch(() => {});
  } catch (error) {
    throw failureOf(path, `The file cannot be written: ${messageOf(error)}`);
  }
}

/** Removes a file and each folder above it that is then empty, up to the working directory or home folder. */
export async function removeWithFolders(path: string): Promise<void> {
  await Deno.remove(systemPath(path));
  const roots = [io().cwd(), homeFolders()?.home ?? ""];
  const isBelow = (folder: string) =>
    roots.some((root) => root !== folder && contains(root, folder));
  try {
    for (
      let folder = dirname(resolve(systemPath(path)));
      isBelow(folder);
      folder = dirname(folder)
    ) {
      await Deno.remove(systemPath(folder));
    }
  } catch {
    // A folder that is not empty cannot be removed, and stays
  }
}

async function backUp(text: string, file: ClientFile): Promise<void> {
  const name = systemPath(backupName(file));
  await Deno.remove(name).catch(() => {});
  await Deno.writeTextFile(name, text, { mode: (file.mode ?? 0o600) & 0o777, createNew: true });
}

function failureOf(file: string, message: string, hint?: string): ClimaxError {
  return new FileError("Nothing was written", { file, message, ...(hint && { hint }) });
}

export type ClientPlace = Awaited<ReturnType<typeof look>>;

export function isInstalled(client: McpClientProgram): boolean {
  const folders = homeFolders();
  if (folders === undefined) return false;
  const marks = client.marks?.(folders) ?? client.user?.(folders).map((path) => dirname(path));
  return marks?.some((mark) => statOf(mark) !== undefined) ?? false;
}

export function clientPlaceOf(
  client: McpClientProgram,
  scope: Scope,
  folder: string,
): string | undefined {
  const files = filesOf(client, scope, folder);
  return files.find((file) => statOf(file) !== undefined) ?? files[0];
}

/** Returns the files of each client that is installed on this machine or has a file in `folder`. */
export async function findClients(folder: string): Promise<readonly ClientPlace[]> {
  const places = await Promise.all(clients.flatMap((client) => {
    return scopes.map(async (scope) => {
      const path = clientPlaceOf(client, scope, folder);
      if (path === undefined) return [];
      const place = await look(client, scope, path, folder);
      const isShown = place.isThere || scope === "user" && isInstalled(client);
      return isShown ? [place] : [];
    });
  }));
  const seen = new Set<string>();
  // In the home folder, a client's file for the project and its file for the person may be the same one
  return places.flat().filter(({ path }) => !seen.has(path) && seen.add(path));
}

async function look(client: McpClientProgram, scope: Scope, path: string, folder: string) {
  try {
    const { text } = scope === "project"
      ? await readProjectFile(path, folder)
      : await readClientFile(path);
    const command = commandOfConnected({ client, file: path, text: text ?? "" });
    return { client, scope, path, isThere: text !== undefined, command, problem: undefined };
  } catch (error) {
    if (!(error instanceof ClimaxError)) throw error;
    const problem = error.problems.map(formatProblem).join("\n");
    return { client, scope, path, isThere: true, command: undefined, problem };
  }
}
