/** The keys of a sandbox with the usual values. */

import type { SandboxFile } from "./schema.ts";

const defaults: SandboxFile = { write: ["."], read: ["/"], hide: [], network: "none" };

/** The keys of a sandbox as they are written: its own, those `above`, or the usual ones. */
export function sandboxValues(written: SandboxFile, above: SandboxFile = {}) {
  const all = { ...defaults, ...above, ...written };
  const { write = [], read = [], hide = [], network = "none", env } = all;
  const silent = (["write", "read", "env", "network"] as const).filter((key) => {
    return written[key] === undefined && above[key] === undefined;
  });
  return { silent, write, read, hide, network, ...(env === undefined ? {} : { env }) };
}
