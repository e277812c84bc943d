/** `climax mcp`: serves the groups of a project as sub-agents. */

import { defaultBudget } from "../../agents/request.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { callsOf, numberOption, projectFileWords, timeoutOption, withOptions } from "../options.ts";
import type { CallContext } from "../../call/context.ts";
import { FileError, formatProblem } from "../../errors.ts";
import { Outputs } from "../../jobs/outputs.ts";
import { log, say } from "../../log.ts";
import { confirmationWords } from "../../policy/policy_file.ts";
import { auditOptions } from "../../process/environment.ts";
import { classicSurface } from "../../server/surface.ts";
import { discoverySurface } from "../../server/discovery.ts";
import { allPermissions } from "../../tool/runner.ts";
import type { Session } from "../../session/session.ts";
import { watchGroups } from "../../session/watch_files.ts";
import type { GroupsFile } from "../../agents/groups.ts";
import { plural } from "../../text/plural.ts";
import { approvalsOpener } from "../approvals.ts";
import { jobsOf, serve, serverWaitMs, stdioTransport } from "../serve.ts";
import {
  openProject,
  projectSession,
  readGroupsOf,
  type UsableModel,
  usableModel,
} from "../project.ts";
import { optionalVariable } from "../../io.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description(
        "Serve the groups of a project as sub-agents, each a tool, over stdin and stdout",
      )
      .argument("[config]", `the project's config (default: ${projectFileWords})`)
      .addOption(
        numberOption("--max-steps <number>", "maximum model responses per request", 1)
          .default(defaultBudget.maxSteps),
      )
      .addOption(
        numberOption("--max-tokens <number>", "maximum tokens, in and out, per request", 1)
          .default(defaultBudget.maxTokens),
      )
      .addOption(timeoutOption("seconds a request may take", defaultBudget.timeoutMs / 1000)),
    ...["results", "policy", "sandbox", "strict", "audit", "concurrency"] as const,
    ...["killTimeout", "maxOutput", "maxResultTokens", "logLevel"] as const,
  );
}

export const examples: readonly Example[] = [
  ["mcp", "serve the groups that build has made"],
  ["mcp --max-steps 20", "let them work longer"],
  ["mcp --policy read-only.yaml --audit calls.jsonl", "apply a policy to their tools"],
];

export async function run(...[config, options]: CommandArguments<typeof define>) {
  const { policy, sandbox, strict, results } = options;
  const calls = callsOf(options);
  return await serve(async (closing) => {
    const project = await openProject(config);
    await readGroupsOf(project, "There are no groups to serve");
    const instead =
      "The groups are served for the client's own model: climax_search and climax_call";
    // stdin carries the client's messages, so no question can be asked there
    const model = await usableModel(project, undefined, instead);

    const stores = model === undefined ? { jobs: jobsOf(calls), outputs: new Outputs() } : {};
    closing.defer(() => stores.outputs?.close());
    const session = closing.use(
      await projectSession(project, {
        patienceMs: serverWaitMs,
        watch: true,
        ...{ policy, sandbox, strict, results, calls, ...stores },
        ...auditOptions(options.audit),
        approvals: approvalsOpener(closing),
      }),
    );
    const watched = await watchGroups(project.groups, session);
    if (!watched.ok) throw new FileError("There are no groups to serve", ...watched.problems);
    const { narrowToGroups } = await import("../../agents/tools.ts");
    const context = model === undefined
      ? narrowToGroups(session, watched.value)
      : await asAgents(session, watched.value, project.groups, { ...options, model });
    closing.defer(async () => await stores.jobs?.close());
    closing.defer(watched.value.unwatch);
    const { tools } = context.index;
    if (tools.length === 0) log("warning", "No group has a tool that may be called");
    const agents = `${plural(tools.length, "sub-agent")}: ${
      tools.map(({ name }) => name).join(", ")
    }`;
    const what = model === undefined ? `${plural(tools.length, "tool")} by group` : agents;
    return await stdioTransport({
      needs: allPermissions([session.permissions(), model === undefined ? {} : { net: true }]),
      greet() {
        say(`climax serves ${what}, and waits for an MCP client on stdin; Ctrl-C ends it`);
        say(confirmationWords(session.index.tools, policy));
      },
      openSurface: (observers) => {
        return (model === undefined ? discoverySurface : classicSurface)(context, observers);
      },
      goLive() {
        session.followSources();
        if (model === undefined) void session.searchByMeaning(context);
      },
    }, closing);
  });
}

async function asAgents(
  session: Session,
  file: GroupsFile,
  path: string,
  { model, maxSteps, maxTokens, timeout }: {
    readonly model: UsableModel;
    readonly maxSteps: number;
    readonly maxTokens: number;
    readonly timeout: number;
  },
): Promise<CallContext> {
  const { openAgents } = await import("../../agents/agent_source.ts");
  const { context, warnings } = openAgents(file, path, {
    ...model,
    context: session,
    environment: optionalVariable,
    budget: { maxSteps, maxTokens, timeoutMs: timeout * 1000 },
  });
  for (const warning of warnings) log("warning", formatProblem(warning));
  return context;
}
