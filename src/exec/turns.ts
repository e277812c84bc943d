/** Makes calls wait for each other if they write git's index, or could make a link in a path that another call uses. */

import { basename } from "node:path";
import { deadline } from "../async/deadline.ts";
import { ownFolder } from "../process/folders.ts";
import type { Invocation } from "./invocation.ts";

type TurnKind = "records" | "writes" | "copies" | "moves" | "searches";

const waitsFor: Readonly<Record<TurnKind, readonly TurnKind[]>> = {
  records: ["records", "writes"],
  writes: ["records", "writes", "moves", "searches"],
  copies: ["moves", "searches"],
  moves: ["writes", "copies", "searches"],
  searches: ["writes", "copies", "moves"],
};

interface Turn {
  readonly kind: TurnKind;
  readonly top: string;
  readonly ended: Promise<void>;
}

const turns = new Set<Turn>();

/** Returns a function that waits for a call's turn, if the call needs one. `reads`: git writes nothing. */
export function turnOf({ argv }: Pick<Invocation, "argv">, reads = false) {
  const found = kindOf(argv);
  const kind = reads && found !== "searches" ? undefined : found;
  return kind === undefined ? undefined : (signal?: AbortSignal) => takeTurn(kind, signal);
}

async function takeTurn(kind: TurnKind, signal: AbortSignal | undefined) {
  const top = ownFolder();
  const before = [...turns].filter((turn) =>
    waitsFor[kind].includes(turn.kind) && turn.top === top
  );
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

/** Commands of git that write neither the working tree nor the index: they run beside all others. */
const besideAll = new Set([
  ...["status", "log", "diff", "show", "blame", "ls-files", "shortlog", "rev-parse", "describe"],
  ...["merge-base", "reflog", "config", "fetch", "push"],
]);

const kinds: Readonly<Record<string, TurnKind>> = {
  ...{ add: "records", commit: "records", branch: "records", tag: "records", remote: "records" },
  ...{ clone: "copies", worktree: "copies" },
};

const helperKinds: Readonly<Record<string, TurnKind>> = {
  ...{ move: "moves", unpack: "moves", pack: "searches", remove: "writes" },
};

function kindOf([program, ...words]: Invocation["argv"]): TurnKind | undefined {
  const [command = "", next] = words;
  if (/^git(?:\.exe)?$/.test(basename(program))) {
    if (command === "grep") return words.includes("--cached") ? undefined : "searches";
    // `git bisect run` works in a copy, so it waits for no other call
    const isInCopy = command === "bisect" && next === "run";
    return besideAll.has(command) || isInCopy ? undefined : kinds[command] ?? "writes";
  }
  // The tools of the configs files-write and archives run a Perl program; the word after `--` says what it does
  const isHelper = basename(program) === "perl" && words[2] === "--";
  return isHelper ? helperKinds[words[3] ?? ""] : undefined;
}
