/** Takes what an agent may write out of the variables in which programs look for libraries and start files. */

import { delimiter } from "node:path";
import { io, optionalVariable } from "../io.ts";
import { log } from "../log.ts";

/** Paths, separated as those of PATH. */
const lists: readonly string[] = [
  ...["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "NODE_PATH", "PERL5LIB"],
  ...["PERLLIB", "RUBYLIB", "GEM_PATH", "GEM_HOME", "CLASSPATH", "LD_LIBRARY_PATH", "BASH_ENV"],
  ...["DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "ENV"],
];

/** Words with paths in them; a word without a slash is a name or an option. */
const lines: readonly string[] = [
  ...["NODE_OPTIONS", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"],
  ...["_JAVA_OPTIONS", "GOFLAGS", "RUSTC_WRAPPER", "LUA_PATH", "LUA_CPATH", "LD_PRELOAD"],
  ...["LD_AUDIT", "DYLD_INSERT_LIBRARIES", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND"],
  ...["GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS", "LESSOPEN"],
];

/** The variables that {@linkcode cleanVariables} reads and sets. */
export const searchVariables: readonly string[] = [...lists, ...lines];

/** Sets the variables of this process, and so of its children, to what is left without paths that are left out. */
export function cleanVariables(isLeftOut: (path: string) => boolean): void {
  for (const name of searchVariables) {
    const value = optionalVariable(name);
    if (!value) continue;
    const left = lists.includes(name)
      ? value.split(delimiter).filter((path) => !isLeftOut(path)).join(delimiter)
      : value.split(/[\s=:;,"']+/).some((word) => word.includes("/") && isLeftOut(word))
      ? ""
      : value;
    if (left === value) continue;
    try {
      io().env.set(name, left);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotCapable)) throw error;
      continue;
    }
    const what = `${name} names files where an agent may write, or a relative path`;
    log("warning", `${what}: climax and its programs go without them`);
  }
}
