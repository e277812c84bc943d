/** The programs that climax itself needs, each looked up once. */

import { findProgram } from "./find_program.ts";

const found = new Map<string, Promise<string>>();

/** The path of `name`, or the name without permission to search for it. */
export function ownProgram(name: "ps" | "kill" | "sh" | "taskkill"): Promise<string> {
  const known = found.get(name);
  if (known !== undefined) return known;
  const path = findProgram(name, { env: {} }).then((path) => path ?? name);
  found.set(name, path);
  return path;
}
