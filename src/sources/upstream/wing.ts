/** START HERE for MCP servers as a source of tools: what a session needs of them, and nothing more. */

import type { Environment } from "../../document/expand.ts";
import type { NamedText } from "../../document/text_file.ts";
import type { Runner } from "../../tool/runner.ts";
import type { Owner, Tool } from "../../tool/tool.ts";
import { type LoadedUpstream, loadUpstream, type LoadUpstreamOptions } from "./load.ts";
import { upstreamRunner, type UpstreamRunnerOptions } from "./runner.ts";
import { upstreamKind } from "./source.ts";
import { toolsOf } from "./tools.ts";

/** The servers of a session. */
export interface UpstreamWing {
  readonly loaded: LoadedUpstream;
  /** Whether it is known of every server what it defines. */
  readonly isComplete: boolean;
  readonly runner: readonly [kind: string, runner: Runner];
  /** The servers of which nothing is known, because they do not answer. */
  absent(): readonly Owner[];
  /** `own` and behind them the tools of the servers that may be served now. */
  withTools(own: readonly Tool[]): readonly Tool[];
}

/** Loads the configs at `files` and what calls the tools of their servers. */
export async function openUpstream(
  files: readonly (string | NamedText)[],
  environment: Environment,
  options: LoadUpstreamOptions & Omit<UpstreamRunnerOptions, "environment">,
): Promise<UpstreamWing> {
  const loaded = await loadUpstream(files, environment, options);
  const { keepBytes } = options;
  return {
    loaded,
    isComplete: loaded.pool.states.every(({ listing }) => listing !== undefined),
    runner: [upstreamKind, upstreamRunner(loaded.pool, { environment, keepBytes })],
    absent: () =>
      loaded.pool.states.filter(({ listing }) => listing === undefined).map(({ spec }) => {
        return { name: spec.name, description: "This server does not answer at present", tags: [] };
      }),
    withTools(own) {
      const taken = new Set(own.map(({ name }) => name));
      return [...own, ...toolsOf(loaded.pool.defined, taken)];
    },
  };
}
