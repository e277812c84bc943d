/** Serves configs over stdin and stdout, for `climax run` and for sealed servers. */

import { io } from "../io.ts";
import type { CallContext } from "../call/context.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import { scheduleOrphanScan } from "../exec/orphan_timer.ts";
import { defaultGraceMs } from "../exec/run_defaults.ts";
import { OutputStore } from "../jobs/outputs.ts";
import { say } from "../log.ts";
import { auditFile } from "../process/environment.ts";
import { dropPermissions } from "../process/permissions.ts";
import { discoverySurface } from "../server/modes.ts";
import { serveStdio } from "../server/stdio.ts";
import type { Surface, SurfaceObserver } from "../server/surface.ts";
import { openSession, type Session, type SessionOptions } from "../session/session.ts";
import { jobsOf } from "./job_limit.ts";

/** Milliseconds to wait for MCP servers that are not in the cache; their tools join later. */
const servingPatienceMs = 5_000;

/** Options of serving. */
export interface ServeOptions {
  readonly classic?: boolean | undefined;
  /** Ends programs that earlier servers left running. @default false */
  readonly reap?: boolean | undefined;
  /** Path of the file of groups: only their tools are served, each in the category of its group. */
  readonly groups?: string | undefined;
}

/** Serves until the client disconnects. */
export async function serveConfigs(
  options: SessionOptions,
  { classic, reap = false, groups }: ServeOptions,
): Promise<ExitCode> {
  const audit = options.audit ?? auditFile();
  const jobs = jobsOf(options.calls);
  const outputs = new OutputStore();
  const session = await openSession({
    watch: true,
    ...options,
    audit,
    patienceMs: servingPatienceMs,
    outputs,
    jobs,
  });
  const { context, unwatch } = await byGroup(session, groups, options.watch);
  dropPermissions(await session.permissions());
  if (io().stdin.isTerminal()) await greet(session, options);
  const graceMs = options.calls?.graceMs ?? defaultGraceMs;
  const callOff = scheduleOrphanScan({ reap, graceMs });
  const goLive = () => {
    session.followSources();
    if (!classic) void session.searchByMeaning(context);
  };
  const firstAnswer = afterFirstAnswer(goLive);
  const surface = await openSurface(context, { classic, observers: [firstAnswer] });
  await serveStdio(surface, async () => {
    callOff();
    firstAnswer.cancel();
    unwatch();
    await jobs.close();
    await session.close();
    outputs.close();
  });
  return ExitCode.ok;
}

/** The surface of `context`, with its prompts and resources if it can have any. */
export async function openSurface(
  context: CallContext,
  { classic, observers }: {
    readonly classic: boolean | undefined;
    readonly observers: readonly SurfaceObserver[];
  },
): Promise<Surface> {
  const surface = classic
    ? (await import("../server/modes.ts")).classicSurface(context, observers)
    : discoverySurface(context, observers);
  if (context.features === undefined) return surface;
  const { withFeatures } = await import("../server/features.ts");
  return withFeatures(surface, context.features, context);
}

async function greet(session: Session, options: SessionOptions): Promise<void> {
  const [{ noteFilesBeside }, { greeting }] = await Promise.all([
    import("./shadowed_files.ts"),
    import("./startup_banner.ts"),
  ]);
  await noteFilesBeside(options.configs.filter((config) => typeof config === "string"));
  say(greeting(session, options));
}

/**
 * Returns the context of `session`; with a `path`, with the tools of the groups in that file only, as it is at each
 * moment.
 *
 * @throws {ClimaxError} when the file cannot be read
 */
export async function byGroup(
  session: Session,
  path: string | undefined,
  watch = true,
): Promise<{ readonly context: CallContext; unwatch(): void }> {
  if (path === undefined) return { context: session, unwatch: () => {} };
  const [{ watchGroups }, { groupedContext }] = await Promise.all([
    import("../session/watch_groups.ts"),
    import("../agents/categories.ts"),
  ]);
  const read = await watchGroups(path, session, { watch });
  if (read.ok) return { context: groupedContext(session, read.file), unwatch: read.file.unwatch };
  await session.close();
  throw new ClimaxError("There are no groups to serve", ExitCode.file, read.problems);
}

/** Runs `work` once, after the answer to the first request was sent, unless it is cancelled before. */
export function afterFirstAnswer(work: () => void): SurfaceObserver & { cancel(): void } {
  let isDone = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    if (isDone) return;
    isDone = true;
    timer = setTimeout(work, 0);
  };
  return {
    onList: soon,
    onCall: (_, run) => isDone ? run() : run().finally(soon),
    cancel() {
      isDone = true;
      clearTimeout(timer);
    },
  };
}
