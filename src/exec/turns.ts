/**
 * Keeps apart the calls of one served folder that go by names in it and those that could put a link there meanwhile. Does
 * not know what other programs do.
 */

import { basename } from "node:path";
import { deadline } from "../async/deadline.ts";
import { ownFolder } from "../process/folders.ts";
import type { Invocation } from "./invocation.ts";

/** Calls of one kind run at once: of two that write a working tree, git itself stops the second. */
type TurnKind = "writes" | "moves" | "searches";

interface Turn {
  readonly kind: TurnKind;
  readonly top: string;
  readonly ended: Promise<void>;
}

/** In order of arrival; each waits for those before it. */
const turns = new Set<Turn>();

/** What takes the turn of a call; nothing for one that may run beside every other. */
export function turnOf({ argv }: Pick<Invocation, "argv">) {
  const kind = kindOf(argv);
  return kind === undefined ? undefined : (signal?: AbortSignal) => takeTurn(kind, signal);
}

async function takeTurn(kind: TurnKind, signal: AbortSignal | undefined) {
  const top = ownFolder();
  const before = [...turns].filter((turn) => turn.kind !== kind && turn.top === top);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const turn = { kind, top, ended };
  turns.add(turn);
  await deadline(Promise.all(before.map((each) => each.ended)), undefined, signal);
  const end = () => {
    turns.delete(turn);
    resolve();
  };
  return { hasWaited: before.length > 0, end };
}

/** Commands of git that write no file of the working tree. */
const besideAll = new Set([
  ...["status", "log", "diff", "show", "blame", "ls-files", "shortlog", "rev-parse", "describe"],
  ...["merge-base", "reflog", "config", "add", "commit", "branch", "tag", "remote", "fetch"],
  "push",
]);

function kindOf([program, ...words]: Invocation["argv"]): TurnKind | undefined {
  const [command = "", next] = words;
  if (/^git(?:\.exe)?$/.test(basename(program))) {
    if (command === "grep") return words.includes("--cached") ? undefined : "searches";
    // A bisection runs in a copy
    const isInCopy = command === "bisect" && next === "run";
    return besideAll.has(command) || isInCopy ? undefined : "writes";
  }
  // The helper of files-write and archives
  const isHelper = basename(program) === "perl" && words[2] === "--";
  return isHelper && /^(?:move|unpack)$/.test(words[3] ?? "") ? "moves" : undefined;
}
