/** Finds the Deno permissions that serving needs for upstream servers, their logins and sandboxes. */

import { type Environment, expand } from "../../files/expand.ts";
import { basicVariables, setsLoader } from "../../exec/child_environment.ts";
import { findNeededPrograms, type SandboxNeeds } from "../../exec/needed_programs.ts";
import type { Permissions } from "../../tool/runner.ts";
import { cacheFolder, loginsFolder, stateVariables } from "../../process/folders.ts";
import { expandTransport, type ServerSpec, type StdioSpec, variablesOf } from "./spec.ts";
import type { Sandbox } from "../../exec/sandbox_view.ts";
import type { Finding } from "../../files/finding.ts";
import type { SandboxFile } from "../../policy/schema.ts";
import { takesLogin } from "./login/login.ts";
import { loginsAt } from "./login/stored_login.ts";
import { optionalVariable } from "../../io.ts";

/** Variables that the `ws` package reads when it is loaded. None has an effect here. */
const socketVariables: readonly string[] = ["WS_NO_BUFFER_UTIL", "WS_NO_UTF_8_VALIDATE"];

export async function needsOf(
  specs: readonly ServerSpec[],
  environment: Environment,
  also: Permissions,
): Promise<Permissions> {
  const transports = specs.map(({ transport }) => transport);
  const reached = transports.map((transport) => {
    const expanded = expandTransport(transport, environment);
    return expanded.ok ? expanded.value : transport;
  });
  const started = reached.filter((each) => each.kind === "stdio");
  const programs = started.map(({ command: program, env, cwd }) => {
    return { program, env, ...(cwd === undefined ? {} : { workingDir: cwd }) };
  });
  const sandboxed = await sandboxNeedsOf(started);
  const cache = cacheFolder();
  const logins = await loginNeeds(specs);
  return {
    run: started.length === 0
      ? []
      : started.some(({ env }) => setsLoader(env))
      ? "all"
      : findNeededPrograms([...programs, ...sandboxed.programs]),
    net: [
      ...reached.flatMap((each) =>
        each.kind === "stdio" ? [] : [URL.parse(each.url)?.host ?? each.url]
      ),
      ...also.net ?? [],
      ...logins.net,
    ],
    env: [
      ...transports.flatMap(variablesOf),
      ...(started.length === 0 ? [] : basicVariables),
      ...sandboxed.env,
      ...(reached.some(({ kind }) => kind === "websocket") ? socketVariables : []),
      ...also.env ?? [],
      ...["CLIMAX_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"],
      ...logins.env,
    ],
    read: [...also.read ?? [], ...(cache ? [cache] : []), ...sandboxed.read, ...logins.files],
    write: [...(cache ? [cache] : []), ...logins.files],
  };
}

/** Finds what the sandboxes of `servers` need. A sandbox with mistakes needs nothing: its server does not start. */
async function sandboxNeedsOf(servers: readonly StdioSpec[]): Promise<SandboxNeeds> {
  const sandboxed = servers.flatMap(({ sandbox }) => sandbox === undefined ? [] : [sandbox]);
  if (sandboxed.length === 0) return { programs: [], env: [], read: [], write: [] };
  const { sandboxNeeds } = await import("../../exec/needed_programs.ts");
  const resolved = await Promise.all(
    sandboxed.map((each) => serverSandbox(each).catch(() => undefined)),
  );
  return sandboxNeeds(resolved.filter((each) => each !== undefined));
}

/** Resolves the sandbox of a server. @throws {Error} with everything that is wrong with `written` */
export async function serverSandbox(written: SandboxFile): Promise<Sandbox> {
  const { resolveSandbox } = await import("../../policy/sandbox.ts");
  const problems: Finding[] = [];
  const reading = { environment: optionalVariable, problems, looksAt: [] };
  const sandbox = await resolveSandbox(written, ["sandbox"], reading);
  if (problems.length === 0) return sandbox;
  throw new Error(
    problems.map(({ message, hint }) => `${message}${hint ? ` (${hint})` : ""}`).join("; "),
  );
}

async function loginNeeds(specs: readonly ServerSpec[]) {
  const capable = specs.filter(takesLogin);
  if (capable.length === 0) return { files: [], env: [], net: [] };
  const folder = loginsFolder();
  const logins = await Promise.all(capable.map(({ name }) => loginsAt(name)));
  const secrets = capable.flatMap(({ auth }) =>
    expand(auth?.clientSecret ?? "", () => undefined).unset
  );
  return {
    files: folder === undefined ? [] : [folder],
    env: [...stateVariables, ...secrets],
    net: logins.flat().flatMap(({ tokenEndpoint }) => URL.parse(tokenEndpoint)?.host ?? []),
  };
}
