/**
 * START HERE for start-up: load configs → build the index. Everything before the first call, in
 * the order it happens; what comes out is all that serving needs.
 */

import { type CallContext, callContext, type CallSettings } from "./call/context.ts";
import { ToolIndex } from "./catalog/tool_index.ts";
import { loadConfigs } from "./config/load.ts";
import { requiredVariable } from "./environment.ts";
import { ClimaxError, ExitCode, type Problem } from "./errors.ts";

/** What to start with. */
export interface SessionOptions {
  /** Bundled names and paths, in the order they are merged. */
  readonly configs: readonly string[];
  readonly calls?: Partial<CallSettings>;
}

/** A catalogue ready to be served and called. */
export interface Session extends CallContext {
  /** Doubts that do not keep the session from starting. */
  readonly warnings: readonly Problem[];
}

/**
 * Opens a session, all or nothing.
 *
 * @throws {ClimaxError} with every problem of every config when there is one
 */
export async function openSession({ configs, calls }: SessionOptions): Promise<Session> {
  const { tools, problems, warnings } = await loadConfigs(configs, requiredVariable);
  if (problems.length > 0) {
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    throw new ClimaxError(`Nothing is served: ${count}`, ExitCode.file, problems);
  }
  return { ...callContext(new ToolIndex(tools), calls), warnings };
}
