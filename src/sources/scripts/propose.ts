/** The tool with which an agent proposes a script: it is checked, and waits for a person. */

import { type Clock, systemClock } from "../../async/clock.ts";
import type { FairSemaphore } from "../../async/semaphore.ts";
import { formatProblem } from "../../errors.ts";
import { homeVariables, stateVariables } from "../../process/folders.ts";
import { sha256 } from "../../text/hash.ts";
import { maskedValues } from "../../tool/masked_values.ts";
import { textResult } from "../../tool/result.ts";
import type { Permissions, Plan, PlanOptions } from "../../tool/runner.ts";
import type { ArgValues, Tool } from "../../tool/tool.ts";
import { type ArgReader, readHeader } from "./header.ts";
import { inboxFolder, propose } from "./inbox.ts";
import { isScriptName, nameRule } from "./kept_files.ts";
import { scriptLimits } from "./limits.ts";
import { proposeTool } from "./names.ts";
import { scriptArg, scriptOwner } from "./script_tool.ts";
import { type ProposeSource, scriptKind } from "./source.ts";

const source: ProposeSource = { kind: scriptKind, task: "propose" };

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
    scriptArg("name", `Of the tool: ${nameRule}`, {
      required: true,
      constraint: { maxLength: 64 },
    }),
    scriptArg("code", "The header and the body of an async function", {
      required: true,
      constraint: { maxLength: scriptLimits.sourceLength },
    }),
    scriptArg("reason", "Why it is worth keeping, for the person", {
      constraint: { maxLength: 1000 },
    }),
  ],
  effect: "write",
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
  const shown = maskedValues(tool, values);
  return {
    ok: true,
    needsPermit: false,
    preview: {
      record: { arguments: { name: shown["name"], sha256: sha256(code) } },
      line: `${proposeTool} ${shown["name"]}: ${shown["reason"] ?? ""}\n${shown["code"]}`,
    },
    run: async (options) => {
      const failure = await refusalOf(name, code, await argReader()) ??
        await storeInTurn({ name, code, reason }, options, { turns, clock, folder });
      const record = { ending: failure === undefined ? "answered" : "error" };
      if (failure !== undefined) return { ...textResult(failure, true), record };
      const answer = `Proposed '${name}'. It is no tool until the person accepts it: ` +
        `climax script accept ${name}`;
      return { ...textResult(answer), record };
    },
  };
}

async function refusalOf(
  name: string,
  code: string,
  argReader: ArgReader,
): Promise<string | undefined> {
  if (!isScriptName(name)) return `Not proposed: 'name' is ${nameRule}`;
  const read = await readHeader(`${name}.js`, code, argReader);
  if (read.ok) return undefined;
  return ["Not proposed: its header is wrong", ...read.problems.map(formatProblem)].join("\n");
}

interface Inbox {
  readonly clock: Clock;
  readonly folder: string | undefined;
}

async function storeInTurn(
  script: Parameters<typeof store>[0],
  options: PlanOptions,
  { turns, ...where }: { readonly turns: FairSemaphore } & Inbox,
): Promise<string | undefined> {
  const release = await turns.acquire(options);
  if (typeof release === "string") return "Not proposed: the call was cancelled";
  try {
    return await store(script, options, where);
  } finally {
    release();
  }
}

async function store(
  script: { readonly name: string; readonly code: string; readonly reason: string },
  { client = "unknown", owner }: PlanOptions,
  { folder, clock }: Inbox,
): Promise<string | undefined> {
  if (folder === undefined) return "Not proposed: the folder of the person is not known";
  const failure = await propose(folder, {
    version: 1,
    ...script,
    client: client.slice(0, 200),
    ...(owner === undefined ? {} : { owner }),
    time: new Date(clock.now()).toISOString(),
  });
  return failure === undefined ? undefined : `Not proposed: ${failure}`;
}
