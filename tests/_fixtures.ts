/** Where the fixtures are, and places to make more. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Files, scratch, writeFiles } from "./e2e/_scratch.ts";

/** The root of the repository. */
export const root = fileURLToPath(new URL("../", import.meta.url));

/** The files below a folder of the repository whose names match, in alphabetical order. */
export function filesBelow(folder: string, ends = /(?:)/): string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? filesBelow(path, ends) : ends.test(name) ? [path] : [];
  }).toSorted();
}

/** The path of a fixture. */
export function fixturePath(...parts: string[]): string {
  return join(root, "tests", "fixtures", ...parts);
}

/** Names in a folder of fixtures that end in `ending`, in alphabetical order. */
export function fixtureNames(folder: string, ending: string): string[] {
  const names = [...Deno.readDirSync(fixturePath(folder))].map((entry) => entry.name);
  return names.filter((name) => name.endsWith(ending)).toSorted();
}

/** A folder with a person's home and a project. */
export interface Household {
  /** A path below the folder that has `home` and `project`. */
  path(...parts: string[]): string;
}

/** Calls `use` with a household in which `files` stand, by their paths, and takes it away afterwards. */
export async function withHousehold(
  files: Files,
  use: (household: Household) => Promise<void>,
): Promise<void> {
  await using dir = await scratch();
  const path = (...parts: string[]) => join(dir.path, ...parts);
  await Deno.mkdir(path("project"));
  await Deno.mkdir(path("home"));
  await writeFiles(dir.path, files);
  await use({ path });
}
