/** The Deno permissions that serving takes for upstream servers. */

import type { Environment } from "../../files/expand.ts";
import { basicVariables, setsLoader } from "../../exec/child_environment.ts";
import { neededPrograms } from "../../exec/needed_programs.ts";
import type { Permissions } from "../../tool/runner.ts";
import { cacheFolder } from "../../process/folders.ts";
import { loginNeeds } from "./login/login_needs.ts";
import { expandTransport, type ServerSpec, variablesOf } from "./spec.ts";
import { sandboxNeedsOf } from "./_sandbox.ts";

/** Variables that the `ws` package reads; none has an effect here. */
const socketVariables: readonly string[] = ["WS_NO_BUFFER_UTIL", "WS_NO_UTF_8_VALIDATE"];

export async function needsOf(
  specs: readonly ServerSpec[],
  environment: Environment,
  { byPath, also }: { readonly byPath: boolean; readonly also: Permissions },
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
  const held = await sandboxNeedsOf(started);
  const cache = cacheFolder();
  const logins = await loginNeeds(specs);
  return {
    run: started.length === 0
      ? []
      : started.some(({ env }) => setsLoader(env))
      ? "all"
      : await neededPrograms([...programs, ...held.programs], byPath),
    net: [
      ...reached.flatMap((each) => each.kind === "stdio" ? [] : [hostOf(each.url)]),
      ...also.net ?? [],
      ...logins.net,
    ],
    env: [
      ...transports.flatMap(variablesOf),
      ...(started.length === 0 ? [] : basicVariables),
      ...held.env,
      ...(reached.some(({ kind }) => kind === "websocket") ? socketVariables : []),
      ...also.env ?? [],
      ...["CLIMAX_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"],
      ...logins.env,
    ],
    read: [...also.read ?? [], ...(cache ? [cache] : []), ...held.read, ...logins.files],
    write: [...(cache ? [cache] : []), ...logins.files],
  };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
