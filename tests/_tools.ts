/** Tools as `resolve` would make them, with only what a test cares about written out. */

import type { CommandSource } from "../src/sources/command/source.ts";
import type { Arg, Owner, Tool } from "../src/tool/tool.ts";

/** An argument of type string, optional, in a flag of its name. */
export function argOf(name: string, rest: Partial<Arg> = {}): Arg {
  const role = { kind: "flag", flag: `--${name}` } as const;
  return { name, description: "", type: "string", required: false, role, ...rest };
}

/** A CLI that says nothing about itself. */
export function cliOf(name: string, rest: Partial<Owner> = {}): Owner {
  return { name, description: "", tags: [], ...rest };
}

/** A command without environment or global arguments. */
export function sourceOf(
  command: readonly [string, ...string[]],
  rest: Partial<CommandSource> = {},
): CommandSource {
  return { kind: "command", command, env: {}, globalArgs: [], ...rest };
}

/** A tool that runs `echo`. */
export function toolOf(name: string, rest: Partial<Tool> = {}): Tool {
  return {
    name,
    description: "",
    owner: cliOf("some-cli"),
    args: [],
    timeoutMs: 30_000,
    source: sourceOf(["echo"]),
    ...rest,
  };
}
