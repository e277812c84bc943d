/**
 * Variables that keep programs from colouring, paging and asking, since no person sits at the other
 * end. What the config or the user's environment says goes before them.
 */

import { optionalVariable } from "../process/environment.ts";

/** The variables and their defaults. */
export const quietVariables: Readonly<Record<string, string>> = {
  NO_COLOR: "1",
  TERM: "dumb",
  GIT_PAGER: "cat",
  PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};

type Variables = Readonly<Record<string, string>>;

/** What each of a config's variables came to: neither they nor those of the process ever change. */
const quieted = new WeakMap<Variables, Variables>();

/** `configured` with the quiet variables that neither it nor the environment has. */
export function childEnvironment(configured: Variables): Variables {
  const before = quieted.get(configured);
  if (before !== undefined) return before;
  const quiet = Object.entries(quietVariables).filter(([name]) => {
    return !Object.hasOwn(configured, name) && optionalVariable(name) === undefined;
  });
  const all = { ...Object.fromEntries(quiet), ...configured };
  quieted.set(configured, all);
  return all;
}

/** The environment of a child: what it inherits, or as much of it as it may, and `env`. */
export function environmentOf(
  env: Readonly<Record<string, string>>,
  inherit: readonly string[] | undefined,
): Pick<Deno.CommandOptions, "env" | "clearEnv"> {
  if (inherit === undefined) return { env: { ...env } };
  const inherited = inherit.flatMap((name): [string, string][] => {
    const value = optionalVariable(name);
    return value === undefined ? [] : [[name, value]];
  });
  return { env: { ...Object.fromEntries(inherited), ...env }, clearEnv: true };
}

/**
 * Whether `env` says what the system loads into a program: Deno lets nobody set such a variable
 * unless it may run every program.
 */
export function setsLoader(env: Readonly<Record<string, string>>): boolean {
  return Object.keys(env).some((name) => /^(?:LD_|DYLD_)/.test(name));
}
