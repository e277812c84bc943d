/** Serves configs over stdin and stdout, and has the parts that servers over HTTP need too. */

import { io } from "../io.ts";
import { ClimaxError, ExitCode, FileError } from "../errors.ts";
import { Outputs } from "../jobs/outputs.ts";
import { say } from "../log.ts";
import { auditOptions } from "../process/environment.ts";
import { dropPermissions } from "../process/permissions.ts";
import { openSurface } from "../server/discovery.ts";
import { serveStdio } from "../server/stdio.ts";
import { afterFirstAnswer, type Surface, type SurfaceObserver } from "../server/surface.ts";
import { openSession, type Session, type SessionOptions } from "../session/session.ts";
import type { Permissions } from "../tool/runner.ts";
import { approvalsOpener } from "./approvals.ts";
import { Jobs, jobsAmong } from "../jobs/jobs.ts";
import { type CallContext, type CallSettings, defaultCallSettings } from "../call/context.ts";
import { watchFiles, watchGroups } from "../session/watch_files.ts";
import type { SharedState } from "../state/shared_state.ts";
import { trackBackground } from "../exec/background_work.ts";
import { confirmationWords } from "../policy/policy_file.ts";
import { climax } from "../process/own_command.ts";
import { plural } from "../text/plural.ts";
import { shellWord } from "../text/shell_word.ts";

/** The start of climax waits at most this many milliseconds for MCP servers whose tools are not cached. */
export const serverWaitMs = 5_000;

/**
 * Milliseconds after the start at which climax lists the processes of this machine: earlier, it would delay first
 * answers.
 */
const surveyAfterMs = 250;

export interface ServeOptions {
  readonly classic?: boolean | undefined;
  /** The path of the file of groups: only tools of groups are served, each in the category of its group. */
  readonly groups?: string | undefined;
}

type Transport = (release: () => Promise<void>) => Promise<void>;

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
  greet(): void;
  openSurface(observers: readonly SurfaceObserver[]): Promise<Surface> | Surface;
  goLive(): void;
}

export async function stdioTransport(
  { needs, greet, openSurface, goLive }: StdioServing,
  closing: AsyncDisposableStack,
): Promise<Transport> {
  dropPermissions(needs);
  if (io().stdin.isTerminal()) greet();
  const firstAnswer = afterFirstAnswer(goLive);
  closing.defer(() => firstAnswer.cancel());
  const surface = await openSurface([firstAnswer]);
  return (release) => serveStdio(surface, release);
}

export async function serveConfigs(
  options: SessionOptions,
  { classic, groups }: ServeOptions,
): Promise<ExitCode> {
  return await serve(async (closing) => {
    const jobs = jobsOf(options.calls);
    const outputs = closing.adopt(new Outputs(), (outputs) => outputs.close());
    const approvals = approvalsOpener(closing);
    const session = closing.use(
      await openSession({
        ...{ watch: true, ...options, ...auditOptions(options.audit) },
        ...{ patienceMs: serverWaitMs, outputs, jobs, approvals },
      }),
    );
    closing.defer(() => jobs.close());
    const { context, unwatch } = await byGroup(session, groups, options.watch);
    closing.defer(unwatch);
    const survey = setTimeout(() => {
      trackBackground(import("../exec/processes.ts").then((it) => it.surveyProcesses()));
    }, surveyAfterMs);
    closing.defer(() => clearTimeout(survey));
    return await stdioTransport({
      needs: session.permissions(),
      greet: () => say(greeting(session, options)),
      openSurface: (observers) => openSurface(context, { classic, observers }),
      goLive: () => goLive(session, context, classic),
    }, closing);
  });
}

/** Limits `session` to the tools of the groups in the file at `path`, if there is a path. @throws {FileError} */
async function byGroup(session: Session, path: string | undefined, watch = true) {
  if (path === undefined) return { context: session, unwatch: () => {} };
  const { narrowToGroups } = await import("../agents/tools.ts");
  const read = await watchGroups(path, session, { watch });
  if (read.ok) return { context: narrowToGroups(session, read.value), unwatch: read.value.unwatch };
  throw new FileError("There are no groups to serve", ...read.problems);
}

/** Greets a person who started the server by hand and would otherwise see nothing. */
export function greeting(
  { index }: Session,
  { configs, mcp = [], policy }: SessionOptions,
): string {
  const clis = index.summary()
    .map(({ name, tool_count }) => `${name} (${plural(tool_count, "tool")})`);
  const shown = clis.length > 5 ? [...clis.slice(0, 5), `${clis.length - 5} more`] : clis;
  const servers = mcp.flatMap((file) => ["--mcp", file]);
  const words = [
    "list",
    ...configs,
    ...servers,
    ...policy === undefined ? [] : ["--policy", policy],
  ];
  const line = words.filter((word) => typeof word === "string").map((word) => shellWord(word));
  return [
    `climax serves ${shown.join(", ")} and waits for an MCP client on stdin; Ctrl-C ends it`,
    confirmationWords(index.tools, policy),
    `To see what can be called:\n    ${climax()} ${line.join(" ")}`,
  ].join("\n");
}

export function jobsOf(calls: Partial<CallSettings> | undefined, other?: Jobs): Jobs {
  const { concurrency } = { ...defaultCallSettings, ...calls };
  return new Jobs({ running: jobsAmong(concurrency) }, other?.clock, other?.semaphore);
}

/** A catalogue that is served over HTTP. There is one for each policy and for each profile. */
export type ServedCatalogue = Awaited<ReturnType<typeof openCatalogue>>;

export interface CatalogueOptions extends ServeOptions {
  observe(context: CallContext): SurfaceObserver;
}

export async function openCatalogue(
  options: SessionOptions,
  { classic, groups, observe }: CatalogueOptions,
) {
  await using opening = new AsyncDisposableStack();
  const session = opening.use(await openSession(options));
  const { context, unwatch } = await byGroup(session, groups, options.watch);
  opening.defer(unwatch);
  const surface = await openSurface(context, { classic, observers: [observe(context)] });
  const closing = opening.move();
  return {
    session,
    surface,
    goLive: () => goLive(session, context, classic),
    close: () => closing.disposeAsync(),
  };
}

function goLive(session: Session, context: CallContext, classic = false): void {
  session.followSources();
  if (!classic) void session.searchByMeaning(context);
}

export async function openOutputs(jobs: Jobs, state: SharedState | undefined, scope = "") {
  const outputs = new Outputs();
  if (state !== undefined) {
    const { SharedOutputs } = await import("../jobs/shared/outputs.ts");
    const { SharedJobs } = await import("../jobs/shared/jobs.ts");
    const { store } = state;
    outputs.share(new SharedOutputs({ store, scope }));
    jobs.share(new SharedJobs({ store, scope }));
  }
  return outputs;
}

/** Calls `apply` with the value of `read` at each change of a file. Returns a function that stops this. */
export function watchServed<T>(
  path: string | undefined,
  read: (path: string) => Promise<T>,
  apply: (value: T) => Promise<void>,
): () => void {
  if (path === undefined) return () => {};
  return watchFiles({ configs: () => [path] }, {}, async () => {
    try {
      await apply(await read(path));
      return { problems: [], warnings: [] };
    } catch (error) {
      if (!(error instanceof ClimaxError)) throw error;
      const { message, problems } = error;
      return { problems: problems.length > 0 ? problems : [{ file: path, message }], warnings: [] };
    }
  });
}
