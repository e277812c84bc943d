/** Serves configs over stdin and stdout, in the one order of opening and closing. */

import { io } from "../io.ts";
import { ExitCode, FileError } from "../errors.ts";
import { defaultGraceMs } from "../exec/invocation.ts";
import { Outputs } from "../jobs/outputs.ts";
import { say } from "../log.ts";
import { auditFile } from "../process/environment.ts";
import { dropPermissions } from "../process/permissions.ts";
import { openSurface } from "../server/modes.ts";
import { serveStdio } from "../server/stdio.ts";
import { afterFirstAnswer, type Surface, type SurfaceObserver } from "../server/surface.ts";
import { openSession, type Session, type SessionOptions } from "../session/session.ts";
import type { Permissions } from "../tool/runner.ts";
import { approvalsOpener } from "./approvals.ts";
import { jobsOf } from "./job_limit.ts";
import { trackBackground } from "../exec/background_work.ts";
import type { OrphanScanOptions } from "../exec/orphans.ts";

/** Milliseconds to wait for MCP servers that are not in the cache; their tools join later. */
const servingPatienceMs = 5_000;

export interface ServeOptions {
  readonly classic?: boolean | undefined;
  /** Ends programs that earlier servers left running. @default false */
  readonly reap?: boolean | undefined;
  /** Path of the file of groups: only their tools are served, each in the category of its group. */
  readonly groups?: string | undefined;
}

/** Serves until it ends, and resolves when `release` has closed what calls used. */
type Transport = (release: () => Promise<void>) => Promise<void>;

/** Opens what is served and serves it. At the end, what was opened last is closed first. */
export async function serve(
  open: (closing: AsyncDisposableStack) => Promise<Transport>,
): Promise<ExitCode> {
  await using closing = new AsyncDisposableStack();
  const run = await open(closing);
  await run(() => closing.disposeAsync());
  return ExitCode.ok;
}

interface StdioServing {
  readonly needs: Permissions;
  greet(): Promise<void> | void;
  openSurface(observers: readonly SurfaceObserver[]): Promise<Surface> | Surface;
  /** Called once, after the answer to the first request was sent. */
  goLive(): void;
}

/** Prepares serving over stdin and stdout, until the client disconnects. */
export async function stdioTransport(
  { needs, greet, openSurface, goLive }: StdioServing,
  closing: AsyncDisposableStack,
): Promise<Transport> {
  dropPermissions(needs);
  if (io().stdin.isTerminal()) await greet();
  const firstAnswer = afterFirstAnswer(goLive);
  closing.defer(() => firstAnswer.cancel());
  const surface = await openSurface([firstAnswer]);
  return (release) => serveStdio(surface, release);
}

/** Serves until the client disconnects. */
export async function serveConfigs(
  options: SessionOptions,
  { classic, reap = false, groups }: ServeOptions,
): Promise<ExitCode> {
  return await serve(async (closing) => {
    const audit = options.audit ?? auditFile();
    const jobs = jobsOf(options.calls);
    const outputs = closing.adopt(new Outputs(), (outputs) => outputs.close());
    const session = closing.use(
      await openSession({
        watch: true,
        ...options,
        audit,
        patienceMs: servingPatienceMs,
        outputs,
        jobs,
        approvals: approvalsOpener(closing),
      }),
    );
    closing.defer(() => jobs.close());
    const { context, unwatch } = await byGroup(session, groups, options.watch);
    closing.defer(unwatch);
    const needs = await session.permissions();
    const graceMs = options.calls?.graceMs ?? defaultGraceMs;
    const scanned = setTimeout(() => trackBackground(scan({ reap, graceMs })), surveyAfterMs);
    closing.defer(() => clearTimeout(scanned));
    return await stdioTransport({
      needs,
      greet: () => greet(session, options),
      openSurface: (observers) => openSurface(context, { classic, observers }),
      goLive() {
        session.followSources();
        if (!classic) void session.searchByMeaning(context);
      },
    }, closing);
  });
}

async function greet(session: Session, options: SessionOptions): Promise<void> {
  const [{ noteFilesBeside }, { greeting }] = await Promise.all([
    import("./shadowed_files.ts"),
    import("./startup_banner.ts"),
  ]);
  await noteFilesBeside(options.configs.filter((config) => typeof config === "string"));
  say(greeting(session, options));
}

/** The context of `session`; with a `path`, of the tools of its groups. @throws {ClimaxError} */
export async function byGroup(session: Session, path: string | undefined, watch = true) {
  if (path === undefined) return { context: session, unwatch: () => {} };
  const [{ watchGroups }, { narrowToGroups }] = await Promise.all([
    import("../session/watch_groups.ts"),
    import("../agents/tools.ts"),
  ]);
  const read = await watchGroups(path, session, { watch });
  if (read.ok) return { context: narrowToGroups(session, read.value), unwatch: read.value.unwatch };
  throw new FileError("There are no groups to serve", ...read.problems);
}

/** Milliseconds after the start of serving, so that the first answers do not wait. */
const surveyAfterMs = 250;

async function scan(options: OrphanScanOptions): Promise<void> {
  const { scanOrphans } = await import("../exec/orphans.ts");
  await scanOrphans(options);
}
