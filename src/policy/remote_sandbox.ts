/**
 * Reads the sandbox of a policy for another machine. Nothing can be looked at there, so paths stay as they are written:
 * each call looks at them before it runs its program.
 */

import posix from "node:path/posix";
import { heldScript, type RemoteSandbox } from "../exec/remote_sandbox.ts";
import type { SshExecutor } from "../exec/ssh.ts";
import type { Finding, Path } from "../files/finding.ts";
import { sandboxValues } from "./_sandbox_values.ts";
import type { SandboxFile } from "./schema.ts";

/** The sandbox that `written` at `path` describes; `above` has the keys that it leaves out. */
export function remoteSandbox(
  written: SandboxFile,
  path: Path,
  problems: Finding[],
  above: SandboxFile = {},
): RemoteSandbox {
  const values = sandboxValues(written, above);
  const resolveAll = (key: "write" | "read" | "hide") => {
    return values[key].map((text, index) => {
      const problem = problemOf(text);
      if (problem !== undefined) {
        problems.push({ path: [...path, key, index], message: `'${key}': ${problem}` });
      }
      return posix.normalize(text).replace(/(?<=.)\/$/, "");
    });
  };
  return {
    ...values,
    write: resolveAll("write"),
    read: resolveAll("read"),
    hide: resolveAll("hide"),
    scriptOf: heldScript,
  };
}

/** `executor` with the sandboxes of single tools, each of which knows what the others name. */
export function togetherThere(
  executor: SshExecutor,
  sandboxes: ReadonlyMap<string, RemoteSandbox>,
): SshExecutor {
  const { sandbox } = executor;
  const all = [...sandbox === undefined ? [] : [sandbox], ...sandboxes.values()];
  const others = [...new Set(all.flatMap(({ write, read }) => [...write, ...read]))];
  return {
    ...executor,
    ...(sandbox === undefined ? {} : { sandbox: { ...sandbox, others } }),
    sandboxes: new Map([...sandboxes].map(([name, each]) => [name, { ...each, others }])),
  };
}

function problemOf(text: string): string | undefined {
  if (text === "") return "a path is empty";
  if (text.includes("$")) return `'${text}' names a variable, which is of this machine`;
  if (/^~[^/]/.test(text)) return `'${text}': of home folders only '~' is known`;
  if (posix.normalize(text).startsWith("../") || posix.normalize(text) === "..") {
    return `'${text}' begins above the directory: write it from '/'`;
  }
  return undefined;
}
