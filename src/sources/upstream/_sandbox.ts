/** The sandbox of a stdio server, resolved whenever the server is started. */

import type { SandboxNeeds } from "../../exec/needed_programs.ts";
import type { Sandbox } from "../../exec/sandbox_view.ts";
import type { Finding } from "../../files/finding.ts";
import type { SandboxFile } from "../../policy/schema.ts";
import type { StdioSpec } from "./spec.ts";
import { optionalVariable } from "../../process/environment.ts";

/** What the sandboxes of `servers` take of the permissions; a wrong one takes nothing, since its server does not start. */
export async function sandboxNeedsOf(servers: readonly StdioSpec[]): Promise<SandboxNeeds> {
  const held = servers.flatMap(({ sandbox }) => sandbox === undefined ? [] : [sandbox]);
  if (held.length === 0) return { programs: [], env: [], read: [], write: [] };
  const { sandboxNeeds } = await import("../../exec/needed_programs.ts");
  const resolved = await Promise.all(
    held.map((each) => serverSandbox(each).catch(() => undefined)),
  );
  return await sandboxNeeds(resolved.filter((each) => each !== undefined));
}

/** @throws {Error} with everything that is wrong with `written` */
export async function serverSandbox(written: SandboxFile): Promise<Sandbox> {
  // Most servers have none
  const { resolveSandbox } = await import("../../policy/sandbox.ts");
  const problems: Finding[] = [];
  const reading = { environment: optionalVariable, problems, looksAt: [] };
  const sandbox = await resolveSandbox(written, ["sandbox"], reading);
  if (problems.length === 0) return sandbox;
  throw new Error(
    problems.map(({ message, hint }) => `${message}${hint ? ` (${hint})` : ""}`).join("; "),
  );
}
