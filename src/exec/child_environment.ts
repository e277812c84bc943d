/** Makes the environment of programs, with variables that turn off colour, pagers and prompts. */

import { safePath } from "./search_path.ts";
import type { Sandbox } from "./sandbox_view.ts";
import { optionalVariable } from "../io.ts";

export const quietVariables: Readonly<Record<string, string>> = {
  NO_COLOR: "1",
  TERM: "dumb",
  GIT_PAGER: "cat",
  PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};

/** Variables without secrets that programs need to run programs, to find files, and for language and network. */
export const basicVariables: readonly string[] = [
  ...["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ"],
  ...["TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"],
  ...["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
  ...["APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA"],
  ...["PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "WINDIR"],
  ...["TEMP", "TMP", "USERNAME", "USERPROFILE"],
];

export function inheritVariables(
  { env }: Pick<Sandbox, "env">,
  configured: readonly string[] | undefined,
): readonly string[] {
  const allowed = [...basicVariables, ...env ?? []];
  if (configured === undefined) return allowed;
  return env === undefined ? configured : configured.filter((name) => allowed.includes(name));
}

/** Adds variables that turn off colour, pagers and prompts unless they are set, and keeps local requests off a proxy. */
export function childEnvironment(
  configured: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const quiet = Object.entries(quietVariables).filter(([name]) => {
    return !Object.hasOwn(configured, name) && optionalVariable(name) === undefined;
  });
  return { ...Object.fromEntries(quiet), ...directAddresses(), ...configured };
}

function directAddresses(): Readonly<Record<string, string>> {
  const names = ["http_proxy", "https_proxy", "all_proxy"];
  const isSet = (name: string) => optionalVariable(name) !== undefined;
  if (!names.some((name) => isSet(name) || isSet(name.toUpperCase()))) return {};
  const known = optionalVariable("no_proxy") ?? optionalVariable("NO_PROXY") ?? "";
  const all = known.trim() === "*" ? known : `${known && `${known},`}localhost,127.0.0.1,::1`;
  return { no_proxy: all, NO_PROXY: all };
}

/** With this variable, programs of Windows do not look for other programs in their working directory. */
const noSearchHere = Deno.build.os === "windows" ? { NoDefaultCurrentDirectoryInExePath: "1" } : {};

export function environmentOf(
  env: Readonly<Record<string, string>>,
  inherit: readonly string[] | undefined,
): Pick<Deno.CommandOptions, "env" | "clearEnv"> {
  const { PATH } = env;
  const own = { ...noSearchHere, ...env, ...(PATH === undefined ? {} : { PATH: safePath(PATH) }) };
  if (inherit === undefined) return { env: own };
  const inherited = inherit.flatMap((name): [string, string][] => {
    const value = optionalVariable(name);
    return value === undefined ? [] : [[name, value]];
  });
  return { env: { ...Object.fromEntries(inherited), ...own }, clearEnv: true };
}

/** Returns whether `env` sets variables of the loader: Deno allows that only with permission to run every program. */
export function setsLoader(env: Readonly<Record<string, string>>): boolean {
  return Object.keys(env).some((name) => /^(?:LD_|DYLD_)/.test(name));
}
