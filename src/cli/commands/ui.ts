/** `climax ui`: serves a page with the catalogue, the audit log and the policy on this machine. */

import type { Command, CommandArguments, Example } from "../command.ts";
import { configsHelp, sessionOf } from "../config_words.ts";
import { callsOf, toolOptions, withOptions } from "../options.ts";
import { activityPath } from "../../call/audit_log.ts";
import { CallHistory } from "../../call/call_history.ts";
import { formatPlace, messageOf } from "../../errors.ts";
import { openBrowser } from "../../exec/open_browser.ts";
import { log, say } from "../../log.ts";
import { sandboxProblem } from "../../exec/sandbox_check.ts";
import { explainDecisions, type PolicyExplanation, readPolicy } from "../../policy/load.ts";
import { applyPolicyFile, confirmationWords, readPolicyText } from "../../policy/policy_file.ts";
import { auditOptions } from "../../process/environment.ts";
import { dropPermissions } from "../../process/permissions.ts";
import { loadTools } from "../../session/load.ts";
import { withOutside } from "../../session/sources.ts";
import { openSession, type Session, type SessionOptions } from "../../session/session.ts";
import { effectOf } from "../../tool/annotations.ts";
import type { Tool } from "../../tool/tool.ts";
import type { ToolDecision } from "../../ui/answers.ts";
import { serveUi } from "../../ui/serve.ts";
import { approver, openApprovalsOf } from "../approvals.ts";
import { print } from "../output.ts";
import { serve } from "../serve.ts";
import { tokenCosts } from "../token_costs.ts";
import { demandWords } from "../tool_words.ts";
import { optionalVariable } from "../../io.ts";
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description("Open a local page: search, forms to try tools, calls, policy, costs")
      .argument("[config...]", `${configsHelp} (default: all bundled and your own)`)
      .option("--no-browser", "print the address without opening a browser"),
    ...[...toolOptions, "audit", "state", "signingKey"] as const,
    ...["concurrency", "killTimeout", "maxOutput"] as const,
  );
}

export const examples: readonly Example[] = [
  ["ui git docker", "look at two bundled configs and try their tools"],
  ["ui --policy policy.yaml", "see what a policy decides"],
];

export async function run(...[configs, flags]: CommandArguments<typeof define>) {
  const { browser, state, signingKey } = flags;
  const logs = auditOptions(flags.audit);
  // The page shows whole results to a person, so they have no limit of tokens
  const calls = callsOf({ ...flags, maxResultTokens: 0 });
  const options = { ...await sessionOf(flags, configs), ...logs, calls };
  return await serve(async (closing) => {
    // The policy's text is read once, so that the page explains the same text that decides about calls
    const policy = await readPolicyText(options.policy);
    const document = policy === undefined ? undefined : await readPolicy(policy);
    const { type = "local" } = document?.ok ? document.policy.executor ?? {} : {};
    const session = closing.use(await openSession({ ...options, policy }));
    const path = logs.audit ?? (logs.recordsActivity ? activityPath() : undefined);
    const isPrivate = logs.audit === undefined;
    const approvals = await openApprovalsOf({ state, signingKey }).catch((error) => {
      log("warning", messageOf(error));
      return undefined;
    });
    closing.defer(() => approvals?.close());
    if (policy === undefined) await sandboxProblem([{ network: "none" }]);
    dropPermissions({ ...session.permissions(), net: true });
    const ui = {
      sources: {
        session,
        command: climax(true),
        configs: namesOf(options.configs),
        servers: namesOf(options.mcp),
        history: path === undefined ? undefined : new CallHistory(path, { isPrivate }),
        isLocal: type === "local" || type === "sandbox",
        policy: options.policy,
        approvals,
        approver: approver("climax ui"),
        decisions: (preview?: string) => decisionsOf(session, { ...options, policy }, preview),
        costs: () => tokenCosts(session),
        demandsOf: demandWords,
      },
      onListening(url: string) {
        session.followSources();
        void session.searchByMeaning();
        void print(url);
        say(confirmationWords(session.index.tools, options.policy));
        const isOpened = browser && openBrowser(url);
        const hint = isOpened ? "" : "Open the address in a browser of this machine; ";
        say(`${hint}anyone who has it can run these tools. Ctrl-C ends it`);
      },
    };
    return (release) => serveUi(ui, release);
  });
}

function namesOf(given: SessionOptions["configs"] = []): readonly string[] {
  return given.map((each) => typeof each === "string" ? each : each.file);
}

async function decisionsOf(
  session: Session,
  { configs, skipsBroken, policy }: SessionOptions,
  preview: string | undefined,
): Promise<ToolDecision[]> {
  const asked = preview ?? policy;
  if (asked === undefined) return [];
  const document = await readPolicy(asked);
  const { tools: own, close } = await loadTools({ configs, skipsBroken });
  await close();
  if (!document.ok) return [];
  const known = new Set(own.map(({ name }) => name));
  const tools = [...own, ...session.index.tools.filter(({ name }) => !known.has(name))];
  const explained = await explainDecisions(document, tools);
  const allowed = preview === undefined ? session.index.tools : await previewOf(session, preview);
  const served = new Map(allowed.map((tool) => [tool.name, tool]));
  return await Promise.all(tools.map(async (tool, at) => {
    const own = served.get(tool.name);
    const withheld = own === undefined ? await session.explainWithheld?.(tool.name) : undefined;
    return decisionOf(tool, explained[at]!, own, withheld);
  }));
}

async function previewOf({ index }: Session, preview: string): Promise<readonly Tool[]> {
  const loaded = { tools: index.tools, problems: [], warnings: [], unreadable: false };
  const { tools, executor } = await applyPolicyFile(loaded, { policy: preview }, optionalVariable);
  return tools.map((tool) => withOutside(tool, executor));
}

function decisionOf(
  tool: Tool,
  { decision, place, confirm }: PolicyExplanation,
  served: Tool | undefined,
  withheld: string | undefined,
): ToolDecision {
  const asking = served?.needsConsent ? confirm : undefined;
  const reason = decision.isServed ? withheld ?? "it cannot be served here" : decision.reason;
  return {
    tool: tool.name,
    owner: tool.owner.name,
    effect: effectOf(tool),
    served: served !== undefined,
    asks: served?.needsConsent ?? false,
    rule: asking === undefined ? decision.rule : "confirm",
    place: formatPlace(asking ?? place),
    reason: served === undefined ? reason : undefined,
    demands: served && demandWords(served),
  };
}
