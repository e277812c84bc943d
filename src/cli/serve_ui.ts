/** Builds the data of the page of `climax ui`, and serves it. */

import { AuditLog } from "../call/audit_log.ts";
import { type ExitCode, formatPlace, messageOf } from "../errors.ts";
import { openBrowser } from "../exec/open_browser.ts";
import { log, say } from "../log.ts";
import { applyPolicy } from "../policy/apply.ts";
import { explainDecisions, type PolicyExplanation, readPolicy } from "../policy/load.ts";
import { confirmationWords, readPolicyText } from "../policy/policy_file.ts";
import { auditFile } from "../process/environment.ts";
import { dropPermissions } from "../process/permissions.ts";
import { loadTools } from "../session/load.ts";
import { openSession, type Session, type SessionOptions } from "../session/session.ts";
import { effectOf } from "../tool/annotations.ts";
import type { Tool } from "../tool/tool.ts";
import { RecentCalls, type ToolDecision } from "../ui/answers.ts";
import { serveUi } from "../ui/serve.ts";
import { approver, openApprovalsOf, type StoreFlags } from "./approvals.ts";
import { print } from "./output.ts";
import { serve } from "./serve_configs.ts";
import { tokenCosts } from "./token_costs.ts";
import { demandWords } from "./tool_words.ts";
import { optionalVariable } from "../io.ts";

export interface UiCommandOptions extends SessionOptions, StoreFlags {
  readonly policy?: string | undefined;
  readonly opens: boolean;
}

/** Serves until the process gets a signal to end. */
export async function serveUiOf({ opens, ...options }: UiCommandOptions): Promise<ExitCode> {
  return await serve(async (closing) => {
    const audit = options.audit ?? auditFile();
    // Read once, so that the page explains the policy that is in force
    const policy = await readPolicyText(options.policy);
    const document = policy === undefined ? undefined : await readPolicy(policy);
    const { type = "local" } = document?.ok ? document.policy.executor ?? {} : {};
    const recent = new RecentCalls();
    const shared = { audit: AuditLog.open(undefined, { copies: [recent] }) };
    const session = closing.use(await openSession({ ...options, policy, audit, shared }));
    const approvals = await openApprovalsOf(options).catch((error) => {
      log("warning", messageOf(error));
      return undefined;
    });
    closing.defer(() => approvals?.close());
    dropPermissions({ ...await session.permissions(), net: "all" });
    const ui = {
      sources: {
        session,
        configs: namesOf(options.configs),
        servers: namesOf(options.mcp),
        audit,
        isLocal: type === "local" || type === "sandbox",
        recent,
        policy: options.policy,
        approvals,
        approver: approver("climax ui"),
        decisions: (preview?: string) =>
          decisionsOf(session, { ...options, policy: preview ?? policy }),
        costs: () => tokenCosts(session),
        demandsOf: demandWords,
      },
      onListening(url: string) {
        session.followSources();
        void session.searchByMeaning();
        void print(url);
        say(confirmationWords(session.index.tools, options.policy));
        openPage(url, opens);
      },
    };
    return (release) => serveUi(ui, release);
  });
}

function namesOf(given: SessionOptions["configs"] = []): readonly string[] {
  return given.map((each) => typeof each === "string" ? each : each.file);
}

function openPage(url: string, opens: boolean): void {
  const isOpened = opens && openBrowser(url);
  const hint = isOpened ? "" : "Open the address in a browser of this machine; ";
  say(`${hint}anyone who has it can run these tools. Ctrl-C ends it`);
}

async function decisionsOf(
  session: Session,
  { configs, skipsBroken, policy }: SessionOptions,
): Promise<ToolDecision[]> {
  if (policy === undefined) return [];
  const document = await readPolicy(policy);
  const { tools: own, close } = await loadTools({ configs, skipsBroken });
  await close();
  if (!document.ok) return [];
  const known = new Set(own.map(({ name }) => name));
  const tools = [...own, ...session.index.tools.filter(({ name }) => !known.has(name))];
  const explained = await explainDecisions(document, tools);
  const { tools: allowed } = await applyPolicy(document.policy, tools, optionalVariable);
  const served = new Map(allowed.map((tool) => [tool.name, tool]));
  return tools.map((tool, at) => decisionOf(tool, explained[at]!, served.get(tool.name)));
}

function decisionOf(
  tool: Tool,
  { decision, place }: PolicyExplanation,
  served: Tool | undefined,
): ToolDecision {
  const demands = served === undefined ? undefined : demandWords(served);
  return {
    tool: tool.name,
    owner: tool.owner.name,
    effect: effectOf(tool),
    served: decision.isServed,
    asks: served?.needsConsent ?? false,
    rule: decision.rule,
    place: formatPlace(place),
    ...(decision.isServed ? {} : { reason: decision.reason }),
    ...(demands === undefined ? {} : { demands }),
  };
}
