/** Formats permissions as Deno flags. */

import { FileError } from "../errors.ts";
import type { SessionPermissions } from "../session/permissions.ts";

/** The permissions of a process, which may read all variables. */
export type GrantedPermissions =
  & Omit<SessionPermissions, "env">
  & { readonly env: readonly string[] | "all" };

/** Formats flags, one for each kind. @throws {ClimaxError} for a name that no flag can contain */
export function permissionFlags({ run, read, write, env, net }: GrantedPermissions): string[] {
  return [
    ...flagOf("run", run),
    ...flagOf("read", read),
    ...flagOf("write", write),
    ...flagOf("env", env),
    ...flagOf("net", net),
  ];
}

function flagOf(kind: string, values: readonly string[] | "all"): string[] {
  if (values === "all") return [`--allow-${kind}`];
  const problems = values.filter((value) => value.includes(",")).map((value) => ({
    message: `'${value}' has a comma in it, which a flag of Deno takes for the end of a name`,
  }));
  if (problems.length > 0) {
    throw new FileError("The flags were not written", ...problems);
  }
  return values.length === 0 ? [] : [`--allow-${kind}=${values.join(",")}`];
}
