/**
 * Scripts that agents propose: files in a folder of the person, which no session reads as scripts. Only
 * `climax script accept` makes a tool of one.
 */

import { join } from "node:path";
import * as z from "zod";
import { systemPath } from "../../io.ts";
import { messageOf } from "../../errors.ts";
import { readTextFile } from "../../files/text_file.ts";
import { stateFolder } from "../../process/folders.ts";
import { sha256 } from "../../text/hash.ts";
import { mostProposals, mostProposalsOfClient, scriptLimits } from "./limits.ts";
import { isScriptName } from "./kept_files.ts";

const proposalSchema = z.strictObject({
  version: z.literal(1),
  name: z.string().refine(isScriptName),
  code: z.string().max(scriptLimits.sourceLength),
  reason: z.string().max(1000),
  /** Its client, as the audit log names it. */
  client: z.string().max(200),
  /** Of the authenticated client; others are one client together. */
  owner: z.string().max(500).optional(),
  /** ISO 8601. */
  time: z.string().max(40),
});

/** A script in the inbox. */
export type ScriptProposal = z.infer<typeof proposalSchema>;

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

/** Stores a proposal; returns the reason why it cannot be. */
export async function propose(
  folder: string,
  proposal: ScriptProposal,
): Promise<string | undefined> {
  const { name, code, owner } = proposal;
  const id = `${name}.${sha256(`${owner ?? ""}\n${code}`).slice(0, 8)}`;
  try {
    await Deno.mkdir(systemPath(folder), { recursive: true, mode: 0o700 });
    const stored = await proposalsIn(folder);
    if (stored.some((each) => each.id === id)) return "the same one waits there already";
    const own = stored.filter((each) => each.proposal.owner === owner);
    if (stored.length >= mostProposals || own.length >= mostProposalsOfClient) {
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
      if (isFile && names.length < 2 * mostProposals) names.push(name);
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
