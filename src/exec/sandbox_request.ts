/** Adds what the config of a program asks for to the sandbox of one call. */

import { dirname, isAbsolute, join, relative } from "node:path";
import { systemPath } from "../io.ts";
import { contains, homeFolders, realPathOf, statOf } from "../process/folders.ts";
import { isThere } from "../process/protected_paths.ts";
import type { Sandbox } from "./sandbox_view.ts";

/** What a config asks for. Paths are absolute, or relative to the directory of the call. */
export interface SandboxRequest {
  readonly write?: readonly string[];
  readonly read?: readonly string[];
  readonly env?: readonly string[];
  readonly network?: "host";
}

/** Grants what a config asks for, unless policy or person has set the key. `makes`: makes missing folders of caches. */
export function withRequest(
  sandbox: Sandbox,
  request: SandboxRequest,
  cwd: string,
  makes = false,
): Sandbox {
  const isUnset = (key: keyof SandboxRequest) => sandbox.unsetKeys?.includes(key) ?? false;
  const { write = [], read = [], env = [], network } = request;
  const find = (paths: readonly string[]) => paths.flatMap((path) => placeOf(path, cwd, sandbox));
  const creates = write.filter((path) => !isAbsolute(path)).flatMap((path) => {
    return [cwd, ...find([path.split("/")[0]!]).map(dirname)].map((folder) => join(folder, path));
  });
  if (makes && isUnset("write")) write.forEach(makeInHome);
  const found = find(write);
  const isFile = (path: string) => statOf(path)?.isFile ?? false;
  // A folder inside of another writable one gets no mount of its own: git removes it at its end, which a mount prevents
  const places = found.filter((path) => !found.includes(dirname(path)) || isFile(path));
  const inNamed = creates.filter((path) => {
    return creates.includes(dirname(path)) && sandbox.write.includes(dirname(path)) &&
      !isFile(path);
  });
  return {
    ...sandbox,
    ...(isUnset("write")
      ? { write: [...sandbox.write, ...places], creates }
      : { creates: inNamed }),
    ...(isUnset("read") ? { read: [...sandbox.read, ...find(read)] } : {}),
    ...(isUnset("env") && env.length > 0 ? { env } : {}),
    ...(isUnset("network") && network !== undefined ? { network } : {}),
  };
}

/** Makes the folder `path` in the home folder, if it can be made there and no link on the way leads elsewhere. */
function makeInHome(path: string): void {
  const { home = "" } = homeFolders() ?? {};
  if (!isAbsolute(path) || home === "" || !contains(home, path) || isThere(path)) return;
  let above = dirname(path);
  while (!isThere(above) && above !== dirname(above)) above = dirname(above);
  const real = realPathOf(above);
  if (real === undefined || real !== join(realPathOf(home) ?? "", relative(home, above))) return;
  try {
    Deno.mkdirSync(systemPath(path), { recursive: true, mode: 0o700 });
  } catch {
    // That a folder cannot be made is no error here: the program itself says that the folder is missing
  }
}

/** Finds a relative path in the directory of the call and above. A program may have made a link, so none is followed. */
function placeOf(path: string, cwd: string, { write }: Sandbox): readonly string[] {
  if (isAbsolute(path)) return [realPathOf(path) ?? []].flat();
  const isInside = (folder: string) => {
    return write.some((top) => folder === top || folder.startsWith(`${top}/`));
  };
  for (let folder = realPathOf(cwd) ?? ""; isInside(folder); folder = dirname(folder)) {
    const found = join(folder, path);
    const real = realPathOf(found);
    if (real !== undefined) return real === found ? [real] : [];
    if (folder === dirname(folder)) break;
  }
  return [];
}
