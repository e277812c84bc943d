/** The tool with which an agent proposes a script: a file that is no tool until `climax script accept`. */

import * as z from "zod";
import { type Clock, systemClock } from "../../async/clock.ts";
import type { FairSemaphore } from "../../async/semaphore.ts";
import { formatProblem, messageOf } from "../../errors.ts";
import { homeVariables, stateFolder, stateVariables } from "../../process/folders.ts";
import { sha256 } from "../../text/hash.ts";
import { textResult } from "../../tool/result.ts";
import type { Permissions, Plan, PlanOptions } from "../../tool/runner.ts";
import { type ArgValues, textArg, type Tool } from "../../tool/tool.ts";
import { type ArgReader, readHeader } from "./header.ts";
import { isScriptName, nameRule } from "./kept_files.ts";
import { maxProposals, maxProposalsOfClient, scriptLimits } from "./limits.ts";
import { proposeTool } from "./script_tools.ts";
import { type AgentScriptSource, scriptKind } from "./source.ts";
import { scriptOwner } from "./script_tool.ts";
import { join } from "node:path";
import { systemPath } from "../../io.ts";
import { readTextFile } from "../../files/text_file.ts";
import { maskValues } from "../../tool/value.ts";

const source: AgentScriptSource = { kind: scriptKind, task: "propose" };

/** The definition of `script_propose`. */
export const proposingTool: Tool = {
  name: proposeTool,
  description: "Propose a script to the person, who may make it a tool of its own. `code` begins " +
    "with a comment of YAML: /* climax script, then description, effect (read, write or " +
    "destructive: the worst of its calls) and args (name, description, type, required, default), " +
    "then */; the rest is as in script_run, and `input` has the arguments",
  owner: scriptOwner,
  examples: ["keep this script", "save a script as a tool"],
  args: [
    textArg("name", `Of the tool: ${nameRule}`, { required: true, constraint: { maxLength: 64 } }),
    textArg("code", "The header and the body of an async function", {
      required: true,
      constraint: { maxLength: scriptLimits.sourceLength },
    }),
    textArg("reason", "Why it is worth keeping, for the person", {
      constraint: { maxLength: 1000 },
    }),
  ],
  effect: "write",
  // It waits for a person anyway
  needsConsent: false,
  annotations: { destructiveHint: false, openWorldHint: false },
  timeoutMs: 10_000,
  background: false,
  source,
};

/** What writing to the inbox takes. */
export function proposePermissions(): Permissions {
  const folder = inboxFolder();
  const folders = folder === undefined ? [] : [folder];
  return {
    read: folders,
    write: folders,
    env: [...new Set([...homeVariables, ...stateVariables])],
  };
}

/** The plan of a call. */
export function planOfProposal(
  tool: Tool,
  values: ArgValues,
  { argReader, turns, clock = systemClock, folder = inboxFolder() }: {
    readonly argReader: () => Promise<ArgReader>;
    /** One is stored after the other, so that all are counted. */
    readonly turns: FairSemaphore;
    readonly clock?: Clock | undefined;
    /** @default that of the person */
    readonly folder?: string | undefined;
  },
): Plan {
  const text = (name: string) => String(values.get(name) ?? "");
  const [name, code, reason] = [text("name"), text("code"), text("reason")];
  const shown = maskValues(tool, values);
  return {
    ok: true,
    needsPermit: false,
    preview: {
      record: { arguments: { name: shown["name"], sha256: sha256(code) } },
      line: `${proposeTool} ${shown["name"]}: ${shown["reason"] ?? ""}\n${shown["code"]}`,
    },
    run: async (options) => {
      const failure = await refusalOf(name, code, await argReader()) ??
        await store({ name, code, reason }, options, { turns, clock, folder });
      const record = { ending: failure === undefined ? "answered" : "error" };
      if (failure !== undefined) return { ...textResult(`Not proposed: ${failure}`, true), record };
      const answer = `Proposed '${name}'. It is no tool until the person accepts it: ` +
        `climax script accept ${name}`;
      return { ...textResult(answer), record };
    },
  };
}

async function refusalOf(name: string, code: string, argReader: ArgReader) {
  if (!isScriptName(name)) return `'name' is ${nameRule}`;
  const read = await readHeader(`${name}.js`, code, argReader);
  if (read.ok) return undefined;
  return ["its header is wrong", ...read.problems.map(formatProblem)].join("\n");
}

async function store(
  script: Pick<ScriptProposal, "name" | "code" | "reason">,
  options: PlanOptions,
  { turns, folder, clock }: {
    readonly turns: FairSemaphore;
    readonly clock: Clock;
    readonly folder: string | undefined;
  },
): Promise<string | undefined> {
  const release = await turns.acquire(options);
  if (typeof release === "string") return "the call was cancelled";
  try {
    if (folder === undefined) return "the folder of the person is not known";
    const { client = "unknown", owner } = options;
    return await propose(folder, {
      version: 1,
      ...script,
      client: client.slice(0, 200),
      ...(owner === undefined ? {} : { owner }),
      time: new Date(clock.now()).toISOString(),
    });
  } finally {
    release();
  }
}

const proposalSchema = z.strictObject({
  version: z.literal(1),
  name: z.string().refine(isScriptName),
  code: z.string().max(scriptLimits.sourceLength),
  reason: z.string().max(1000),
  /** Its client, as the audit log names it. */
  client: z.string().max(200),
  /** The key of the authenticated client; others are one client together. */
  owner: z.string().max(5000).optional(),
  /** ISO 8601. */
  time: z.string().max(40),
});

/** A script in the inbox. */
type ScriptProposal = z.infer<typeof proposalSchema>;

export interface StoredProposal {
  /** `NAME.HASH`, which names it where two have one name. */
  readonly id: string;
  readonly path: string;
  readonly proposal: ScriptProposal;
}

/** The folder of proposals; absent if the home folder is unknown. */
export function inboxFolder(): string | undefined {
  const state = stateFolder();
  return state && systemPath(join(state, "script-inbox"));
}

async function propose(folder: string, proposal: ScriptProposal): Promise<string | undefined> {
  const { name, code, owner } = proposal;
  const id = `${name}.${sha256(`${owner ?? ""}\n${code}`).slice(0, 8)}`;
  try {
    await Deno.mkdir(systemPath(folder), { recursive: true, mode: 0o700 });
    const stored = await proposalsIn(folder);
    if (stored.some((each) => each.id === id)) return "the same one waits there already";
    const own = stored.filter((each) => each.proposal.owner === owner);
    if (stored.length >= maxProposals || own.length >= maxProposalsOfClient) {
      return "its inbox is full until the person has looked at what waits there";
    }
    const path = join(folder, `${id}.json`);
    await Deno.writeTextFile(systemPath(path), JSON.stringify(proposal), {
      createNew: true,
      mode: 0o600,
    });
    return undefined;
  } catch (error) {
    return `its inbox cannot be written: ${messageOf(error)}`;
  }
}

/** The proposals that wait, in the order of their ids; a file that is none is left out. */
export async function proposalsIn(folder: string): Promise<StoredProposal[]> {
  const names: string[] = [];
  try {
    for await (const { name, isFile } of Deno.readDir(systemPath(folder))) {
      if (isFile && names.length < 2 * maxProposals) names.push(name);
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  const read = await Promise.all(
    names.toSorted().map(async (file) => {
      const [, id] = /^(\w+\.[0-9a-f]{8})\.json$/.exec(file) ?? [];
      const path = join(folder, file);
      const proposal = id === undefined ? undefined : await readProposal(path);
      return proposal === undefined ? [] : [{ id: id!, path, proposal }];
    }),
  );
  return read.flat();
}

async function readProposal(path: string): Promise<ScriptProposal | undefined> {
  const file = await readTextFile(path);
  if (!file.ok) return undefined;
  try {
    return proposalSchema.safeParse(JSON.parse(file.text)).data;
  } catch {
    return undefined;
  }
}
