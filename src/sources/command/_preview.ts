/** Describes a call for a person or a log before it runs. */

import { Buffer } from "node:buffer";
import type { Invocation, Token } from "../../exec/invocation.ts";
import { ownFolder } from "../../process/folders.ts";
import type { PlanPreview } from "../../tool/runner.ts";
import type { Tool } from "../../tool/tool.ts";
import { present } from "../../text/own_property.ts";
import { commandSourceOf, describeSandbox, secretName } from "./source.ts";

export interface BuiltCall {
  readonly invocation: Invocation;
  readonly shown: readonly Token[];
  readonly shownCwd?: string | undefined;
  readonly place?: string | undefined;
  readonly input: Token | undefined;
  readonly generated?: string;
}

/** Returns the command line for a person, without the many fixed words that a bundled config adds to each call. */
function lineOf(argv: readonly Token[], isOurs = false): string {
  const own = argv.filter(({ isFixed }) => !isFixed).map(({ shown }) => shown);
  const more = argv.length - own.length;
  if (more <= 5 || !isOurs) return JSON.stringify(argv.map(({ shown }) => shown));
  return `${JSON.stringify(own)} and ${more} words that its config always adds`;
}

export function showCall(
  { invocation, shown, shownCwd, place, input, generated }: BuiltCall,
  tool: Tool,
): PlanPreview {
  const { isForeign, env: own } = commandSourceOf(tool);
  const { env, timeoutMs, sandbox } = invocation;
  const variables = tool.owner.isBundled ? [] : Object.entries(own).map(([name, value]) => {
    return `${name}=${secretName.test(name) ? "***" : value}`;
  });
  return {
    record: {
      argv: shown.map((token) => token.shown),
      ...present({ cwd: shownCwd, sandbox: sandbox && describeSandbox(sandbox) }),
    },
    // The details are logged, so they have only the names of variables: the values may be secrets
    details: {
      cwd: shownCwd ?? ownFolder(),
      env: Object.keys(env),
      ...present({ stdin_bytes: input && Buffer.byteLength(input.text) }),
      timeout: timeoutMs / 1000,
    },
    line: lineOf(shown, tool.owner.isBundled),
    ...present({
      place,
      generated,
      saidBy: isForeign && tool.owner.name,
      variables: variables.length === 0 ? undefined : variables,
      input: input?.shown,
    }),
  };
}
