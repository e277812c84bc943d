/** Answers the page's requests for data: catalogue, tool, log, policy, costs. */

import type { Approvals, Approver } from "../call/approvals.ts";
import {
  type CallHistory,
  countCalls,
  dayOf,
  fieldText,
  filterNames,
  historyFilter,
  type RecordedCall,
} from "../call/call_history.ts";
import { answer, hintOf, nextSteps, weaknessOf } from "../catalog/answer.ts";
import { defaultLimit, type SearchRequest } from "../catalog/search_request.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import { toolIndexOf } from "../catalog/tool_index.ts";
import { prepareCall } from "../call/prepare.ts";
import { refusalText } from "../call/refusal.ts";
import { noPolicy } from "../policy/policy_file.ts";
import { isCredential, namesCredential } from "../sources/upstream/credentials.ts";
import { programsOf } from "../sources/command/program.ts";
import type { Session } from "../session/session.ts";
import { inputSchema } from "../tool/json_schema.ts";
import { sandboxWords } from "../tool/runner.ts";
import { shellLine } from "../text/shell_word.ts";
import type { Tool } from "../tool/tool.ts";
import { version } from "../process/build_info.ts";
import type { PageCalls } from "./running_call.ts";
import { UsageError } from "../errors.ts";
import { isObject } from "../text/own_property.ts";

export const maxResults = 50;

/** Without a query, the page lists at most this many tools of a program or category. */
const maxListed = 1000;

/** The page's table of decisions has at most this many tools. */
const maxDecisions = 5000;

export interface ToolDecision {
  readonly tool: string;
  readonly owner: string;
  readonly effect: string;
  readonly served: boolean;
  /** True if each call asks a person; `outside` if only some calls ask, depending on their arguments. */
  readonly asks: boolean | "outside";
  readonly rule: string;
  readonly place: string;
  readonly reason?: string | undefined;
  readonly demands?: string | undefined;
}

export interface PageSources {
  readonly session: Session;
  /** The command line by which a person starts climax in a terminal. */
  readonly command: string;
  readonly configs: readonly string[];
  readonly servers: readonly string[];
  /** The recorded calls of all clients; absent if calls are not recorded. */
  readonly history?: CallHistory | undefined;
  /** True if programs run on this machine, not in Docker. */
  readonly isLocal: boolean;
  readonly policy?: string | undefined;
  /** The store of calls that wait for this person; absent if it cannot be used. */
  readonly approvals?: Approvals | undefined;
  readonly approver: Approver;
  /** Returns the decisions of the policy in force, or of the bundled policy `preview`. */
  readonly decisions: (preview?: string) => Promise<readonly ToolDecision[]>;
  readonly costs: () => Promise<object>;
  readonly demandsOf: (tool: Tool) => string | undefined;
}

interface PageState extends PageSources {
  readonly running: PageCalls;
}

type Reader = (state: PageState, query: URLSearchParams) => object | Promise<object>;

export const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["/api/about", about],
  ["/api/search", search],
  ["/api/tool", oneTool],
  ["/api/audit", calls],
  ["/api/policy", policy],
  ["/api/approvals", async ({ approvals }) => ({ waiting: await approvals?.waiting() ?? [] })],
  ["/api/costs", ({ costs }) => costs()],
]);

function about({ session: { index }, isLocal, ...sources }: PageSources) {
  const { command, configs, servers, policy } = sources;
  const summary = index.summary();
  const categories = summary.flatMap(({ category }) => category ?? []);
  const own = Map.groupBy(index.tools, ({ owner }) => owner.name);
  return {
    version,
    tools: index.tools.length,
    programs: summary.map(({ tags: _, ...shown }) => {
      const tools = own.get(shown.name) ?? [];
      const { count, missing } = programsOf(tools);
      const effects = Map.groupBy(tools, ({ effect = "unknown" }) => effect);
      return {
        ...shown,
        effects: Object.fromEntries([...effects].map(([effect, { length }]) => [effect, length])),
        is_absent: isLocal && count > 0 && missing.length === count,
      };
    }),
    categories: [...new Set(categories)].toSorted(),
    command,
    configs,
    servers,
    policy: policy ?? null,
  };
}

async function search({ session }: PageSources, query: URLSearchParams) {
  const words = query.get("query") ?? "";
  const category = query.get("category") || undefined;
  const cli = query.get("cli") || undefined;
  const asked = Number(query.get("limit") ?? defaultLimit);
  const limit = Number.isInteger(asked) ? Math.min(Math.max(asked, 1), maxResults) : defaultLimit;
  const request: SearchRequest = { query: words || undefined, category, cli, limit };
  const index = toolIndexOf(session.index);
  const found = await answer(index, request);
  const why = found.mode === "summary" ? {} : Object.fromEntries(index.explain(request));
  const listed = words === "" && found.mode === "search"
    ? { listed: index.search({ ...request, limit: maxListed }) }
    : {};
  const weak = await weaknessOf(index, request);
  const isNothing = found.mode === "search" && found.results.length === 0 && words !== "";
  const hints = [hintOf(index, request), weak, weak || isNothing ? nextSteps() : undefined];
  return { answer: found, ...listed, why, hint: hints.filter(Boolean).join("\n") || null };
}

function oneTool({ session, demandsOf }: PageSources, query: URLSearchParams) {
  const { index, runners } = session;
  const name = query.get("name") ?? "";
  const tool = index.get(name);
  if (tool === undefined) return { near: index.near(name) };
  const sandbox = runners.get(tool.source.kind)?.sandbox?.(tool);
  return {
    name: tool.name,
    title: tool.title ?? null,
    description: tool.description,
    cli: tool.owner.name,
    category: tool.owner.category ?? null,
    effect: tool.effect ?? null,
    needs_consent: Boolean(tool.needsConsent),
    demands: demandsOf(tool) ?? null,
    sandbox: sandbox === undefined ? null : sandboxWords(sandbox),
    secret: tool.args.filter((arg) => arg.constraint?.secret || namesCredential(arg.name))
      .map((arg) => arg.name),
    input_schema: inputSchema(tool),
  };
}

/** The page gets at most this many calls, with at most this many characters in all. */
const [maxCalls, maxShown] = [200, 4_000_000];

/** The page shows how often each tool was called, for at most this many tools. */
const maxCounted = 20;

async function calls({ history, running, session }: PageState, query: URLSearchParams) {
  const now = { running: running.list() };
  if (history === undefined) return { file: null, ...now };
  await history.refresh();
  const etag = String(history.version);
  if (etag === query.get("etag")) return { unchanged: true, ...now };
  const { path: file, calls, isCut, broken, problem } = history;
  const words = (query.get("filter") ?? "").split(/\s+/).filter(Boolean);
  const named = filterNames.flatMap((name) => {
    const value = query.get(name);
    return value ? [`${name}=${value}`] : [];
  });
  let wrong: string | undefined;
  let found = calls;
  try {
    found = calls.filter(historyFilter([...words, ...named]));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    wrong = error.message;
  }
  const clients = [...new Set(calls.map(({ entry }) => fieldText(entry["client"])))];
  const tools = countCalls(found, ({ entry }) => fieldText(entry["tool"]));
  return {
    ...{ file, etag, isCut, broken, problem, wrong },
    all: calls.length,
    found: found.length,
    calls: lastOf(found).map((call) => shownCall(call, session.index)),
    days: countCalls(found, dayOf),
    tools: tools.toSorted((a, b) => b.calls - a.calls).slice(0, maxCounted),
    clients: clients.filter(Boolean).slice(0, maxCounted),
    ...now,
  };
}

function lastOf(calls: readonly RecordedCall[]): RecordedCall[] {
  let left = maxShown;
  return calls.slice(-maxCalls).reverse().filter(({ text }) => (left -= text.length) > 0);
}

function shownCall({ entry, outcome }: RecordedCall, index: ToolTable) {
  const tool = index.get(fieldText(entry["tool"]));
  const { arguments: args } = entry;
  const shown = { entry, outcome, is_served: tool !== undefined };
  if (tool === undefined || !isObject(args)) return shown;
  const known = Object.entries(args).filter(([, value]) => value !== "***");
  return { ...shown, repeat: linkedArgs(Object.fromEntries(known), tool) };
}

async function policy({ policy, decisions }: PageSources, query: URLSearchParams) {
  const preview = ["work", "ask", "readonly", "open"].find((name) => name === query.get("preview"));
  const file = preview ?? policy;
  if (file === undefined) return { file: null };
  const all = await decisions(preview);
  return {
    file,
    decisions: all.slice(0, maxDecisions),
    left: Math.max(0, all.length - maxDecisions),
  };
}

export async function dryRun(
  { session }: PageSources,
  request: { readonly tool: string; readonly args: unknown },
): Promise<object> {
  const link = linkedArgs(request.args, session.index.get(request.tool));
  const prepared = await prepareCall(session, { ...request, refusesUnknown: true });
  if (!prepared.ok) return { ok: false, link, text: refusalText(prepared), rule: prepared.rule };
  const { preview: { record, details, line } } = prepared.plan;
  return {
    ok: true,
    link,
    line,
    command: shellLine(record["argv"]) ?? null,
    plan: { ...record, ...details },
    rule: prepared.tool.rule ?? noPolicy,
    needs_consent: Boolean(prepared.tool.needsConsent),
  };
}

/** Leaves secrets and texts like credentials out of the arguments in an address, because browsers store addresses. */
function linkedArgs(args: unknown, tool?: Tool): unknown {
  const secretArgs = tool?.args.filter((arg) => arg.constraint?.secret) ?? [];
  const secret = new Set(secretArgs.map(({ name }) => name));
  const isSecret = (name: string, value: unknown) =>
    secret.has(name) || namesCredential(name) || typeof value === "string" && isCredential(value);
  const text = JSON.stringify(args, (name, value) => {
    if (Array.isArray(value)) return value.filter((item) => !isSecret("", item));
    return isSecret(name, value) ? undefined : value;
  });
  return JSON.parse(text ?? "{}");
}
