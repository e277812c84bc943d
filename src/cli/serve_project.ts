/** Implements `climax mcp`: serves groups as sub-agents, or without a model to the client's own. */

import type { CallContext } from "../call/context.ts";
import {
  type ClimaxError,
  type ExitCode,
  FileError,
  formatProblem,
  type Problem,
} from "../errors.ts";
import { Outputs } from "../jobs/outputs.ts";
import { log, say } from "../log.ts";
import { confirmationWords } from "../policy/none.ts";
import { auditFile, exportsSpans } from "../process/environment.ts";
import { classicSurface, discoverySurface } from "../server/modes.ts";
import { allPermissions } from "../session/permissions.ts";
import type { Session } from "../session/session.ts";
import { watchGroups } from "../session/watch_groups.ts";
import type { AgentBudget } from "../agents/budget.ts";
import { limitProblems } from "../agents/group_validator.ts";
import { type GroupsFile, readGroups } from "../agents/groups.ts";
import { plural } from "../text/plural.ts";
import type { Permissions } from "../tool/runner.ts";
import { approvalsOpener } from "./approvals.ts";
import { jobsOf } from "./job_limit.ts";
import { serve, stdioTransport } from "./serve_configs.ts";
import {
  openProject,
  type Project,
  projectSession,
  type ProjectSessionOptions,
  type UsableModel,
  usableModel,
} from "./project.ts";
import { optionalVariable } from "../io.ts";

export interface ServeProjectOptions {
  readonly budget: AgentBudget;
  readonly trace?: string | undefined;
  readonly session: ProjectSessionOptions;
}

/** Milliseconds to wait for servers that are not in the cache; their tools join when they answer. */
const patienceMs = 5000;

/** Serves until the client disconnects. @throws {ClimaxError} when the project cannot be opened */
export async function serveProject(
  config: string | undefined,
  options: ServeProjectOptions,
): Promise<ExitCode> {
  return await serve(async (closing) => {
    const project = await openProject(config);
    const read = await readGroups(project.groups);
    if (!read.ok) throw noGroups(read.problems);
    for (const message of limitProblems(read.value.groups, project.config.groupingConstraints)) {
      log("warning", formatProblem({ file: project.groups, message }));
    }
    const instead =
      "The groups are served for the client's own model: climax_search and climax_call";
    // stdin belongs to the client, so no question can be asked there
    const model = await usableModel(project, undefined, instead);

    const audit = options.session.audit ?? auditFile();
    // A sub-agent has no client that would ask for its jobs, nor does it read truncated outputs further
    const stores = model === undefined
      ? { jobs: jobsOf(options.session.calls), outputs: new Outputs() }
      : {};
    closing.defer(() => stores.outputs?.close());
    const session = closing.use(
      await projectSession(project, {
        patienceMs,
        watch: true,
        ...options.session,
        ...stores,
        audit,
        approvals: approvalsOpener(closing),
      }),
    );
    const watched = await watchGroups(project.groups, session);
    if (!watched.ok) throw noGroups(watched.problems);
    const { narrowToGroups } = await import("../agents/tools.ts");
    const served: Served = model === undefined
      ? { context: narrowToGroups(session, watched.value), needs: {} }
      : await asAgents(session, watched.value, project, { ...options, model });
    closing.defer(async () => await stores.jobs?.close());
    closing.defer(watched.value.unwatch);
    if (served.context.index.tools.length === 0) {
      log("warning", "No group has a tool that may be called");
    }
    return await stdioTransport({
      needs: allPermissions([await session.permissions(), served.needs]),
      greet: () =>
        say(
          `${greeting(served, model)}\n${
            confirmationWords(session.index.tools, options.session.policy)
          }`,
        ),
      openSurface: (observers) => {
        const surface = model === undefined ? discoverySurface : classicSurface;
        return surface(served.context, observers);
      },
      goLive() {
        session.followSources();
        // Sub-agents are listed by name; only the client's own model searches
        if (model === undefined) void session.searchByMeaning(served.context);
      },
    }, closing);
  });
}

function noGroups(problems: readonly Problem[]): ClimaxError {
  return new FileError("There are no groups to serve", ...problems);
}

interface Served {
  readonly context: CallContext;
  readonly needs: Permissions;
}

async function asAgents(
  session: Session,
  file: GroupsFile,
  { groups }: Project,
  { model, budget, trace }: ServeProjectOptions & { readonly model: UsableModel },
): Promise<Served> {
  const { openAgents } = await import("../agents/agent_source.ts");
  const writeTrace = trace === undefined
    ? undefined
    : await (await import("../agents/trace.ts")).openTraces(trace);
  const { recordSpans } = exportsSpans()
    ? await import("../agents/spans.ts")
    : { recordSpans: undefined };
  const { context, runner, warnings } = openAgents(file, groups, {
    ...model,
    context: session,
    environment: optionalVariable,
    budget,
    writeTrace,
    recordSpans,
  });
  for (const warning of warnings) log("warning", formatProblem(warning));
  const needs = await runner.permissions(context.index.tools);
  return { context, needs: trace === undefined ? needs : { ...needs, write: [trace] } };
}

function greeting({ context: { index } }: Served, model: UsableModel | undefined): string {
  const what = model === undefined
    ? `${plural(index.tools.length, "tool")} by group`
    : `${plural(index.tools.length, "sub-agent")}: ${
      index.tools.map(({ name }) => name).join(", ")
    }`;
  return `climax serves ${what}, and waits for an MCP client on stdin; Ctrl-C ends it`;
}
