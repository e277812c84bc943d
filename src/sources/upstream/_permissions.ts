/** Lists the Deno permissions that upstream servers and logins need, and resolves the sandboxes of servers. */

import type { Permissions } from "../../tool/runner.ts";
import { cacheFolder, loginsFolder } from "../../process/folders.ts";
import type { ServerSpec } from "./spec.ts";
import type { Sandbox } from "../../exec/sandbox_view.ts";
import type { Finding } from "../../files/finding.ts";
import type { SandboxFile } from "../../policy/schema.ts";
import { takesLogin } from "./login/login.ts";
import { optionalVariable } from "../../io.ts";

export function needsOf(specs: readonly ServerSpec[]): Permissions {
  const hasLogins = specs.some(takesLogin) && loginsFolder() !== undefined;
  return {
    net: specs.some(({ transport }) => transport.kind !== "stdio"),
    write: hasLogins || cacheFolder() !== undefined,
  };
}

/** Resolves the sandbox of a server. @throws {Error} with all problems of the sandbox in its config */
export async function serverSandbox(written: SandboxFile): Promise<Sandbox> {
  const { resolveSandbox } = await import("../../policy/sandbox.ts");
  const problems: Finding[] = [];
  const reading = { environment: optionalVariable, problems };
  const sandbox = await resolveSandbox(written, ["sandbox"], reading);
  if (problems.length === 0) return sandbox;
  throw new Error(
    problems.map(({ message, hint }) => `${message}${hint ? ` (${hint})` : ""}`).join("; "),
  );
}
