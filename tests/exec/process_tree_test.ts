/**
 * What belongs to a call ends with it: real programs that leave their group, their session and their
 * parent, first where each program leads a session, then where marks are all there is.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { Invocation } from "../../src/exec/invocation.ts";
import { run } from "../../src/exec/run.ts";
import { endTree } from "../../src/exec/process_tree.ts";
import { fixturePath } from "../_fixtures.ts";
import { processTools, testsUnless } from "../_requirements.ts";
import { scratch, writeProgram } from "../e2e/_scratch.ts";
import { isAlive, untilGone, within } from "../_wait.ts";
import { needsSession, surveyProcesses } from "../../src/exec/processes.ts";

// macOS has no `setsid`, and hides the variables of `sh` and `sleep`
const ignore = Deno.build.os !== "linux" || processTools.ignore;
const here = testsUnless(ignore);

/** Prints the ids of what must be gone as `end ID`, `count` of them before it is told to end. */
type Row = readonly [what: string, count: number, script: string];

const trees: readonly Row[] = [
  ["a tree", 3, "(sleep 3600 & echo end $!; exec sleep 3600) & echo end $!; echo end $$; wait"],
  ["a group of its own", 1, "timeout 3600 sleep 3600 & echo end $!; wait"],
  ["a session of its own", 1, "setsid sleep 3600 & echo end $!; wait"],
  [
    "a double fork",
    2,
    "(setsid sh -c 'echo end $$; sleep 3600 & echo end $!; wait' &); sleep 3600",
  ],
  ["children of a parent that ended", 1, "(sleep 3600 & echo end $!) ; exec sleep 3600"],
  ["a child without variables", 1, "env -i setsid sleep 3600 & echo end $!; wait"],
  [
    "children without variables of a marked process that lost its parent",
    2,
    "(setsid sh -c 'echo end $$; env -i sleep 3600 & echo end $!; wait' &); sleep 3600",
  ],
  ["a deaf session", 1, `setsid sh -c 'trap "" TERM; echo end $$; sleep 3600; sleep 3600' & wait`],
  ["a stopped session", 1, "setsid sh -c 'echo end $$; kill -STOP $$; sleep 3600' & wait"],
  [
    "what a program forks when it is told to end",
    1,
    `trap 'setsid sleep 3600 & echo end $!; exit' TERM; echo end $$; while :; do sleep 0.05; done`,
  ],
  [
    "a program that forks all the time and does not listen",
    2,
    `trap "" TERM; while :; do setsid sleep 3600 & echo end $!; sleep 0.01; done`,
  ],
];

function shell(script: string): Invocation {
  return { argv: ["sh", "-c", script], env: {}, timeoutMs: 3_600_000 };
}

/** Runs `script` until it has printed `count` ids, gives up, and returns all ids that it printed. */
async function abandoned(script: string, count: number): Promise<readonly number[]> {
  const stop = new AbortController();
  const decoder = new TextDecoder();
  let seen = "";
  const outcome = run(shell(script), {
    signal: stop.signal,
    graceMs: 300,
    onOutput(chunk) {
      seen += decoder.decode(chunk);
      if (idsIn(seen).length >= count) stop.abort();
    },
  });
  const { ending, stdout } = await within(outcome, script);
  assert.deepEqual(ending, { kind: "cancelled" });
  return idsIn(stdout.text);
}

function idsIn(text: string): number[] {
  return text.matchAll(/^end (\d+)$/gm).map(([, pid]) => Number(pid)).toArray();
}

/** Before any test, of this file or of another one. */
const needsFirst = needsSession();

for (const way of ["a session", "marks alone"]) {
  here.test(`programs are held by ${way}`, async () => {
    if (way === "a session") return assert.equal(needsFirst, true);
    const self = (await surveyProcesses())?.find(({ pid }) => pid === Deno.pid);
    // A terminal of whoever runs the tests makes sessions necessary
    assert.equal(needsSession(), self?.hasTerminal);
  });

  for (const [what, count, script] of trees) {
    here.test(`endTree() ends ${what}, held by ${way}`, async () => {
      await untilGone(...await abandoned(script, count));
    });
  }

  here.test(`endTree() leaves others alone, held by ${way}`, async () => {
    const returned = await run(shell("setsid sleep 3600 & echo end $!"));
    assert.deepEqual(returned.ending, { kind: "exited", code: 0 });
    const [left] = idsIn(returned.stdout.text);
    const other = new Deno.Command("sleep", { args: ["3600"], stdout: "null" }).spawn();
    try {
      await untilGone(...await abandoned("sleep 3600 & echo end $!; wait", 1));
      assert.ok(isAlive(left!) && isAlive(other.pid));
    } finally {
      Deno.kill(left!, "SIGKILL");
      other.kill("SIGKILL");
      await other.status;
    }
  });
}

for (const hasEnded of [false, true]) {
  Deno.test(`endTree() waits for the end of a sandbox: ${hasEnded ? "it has ended" : "killed"}`, async () => {
    const status = Promise.withResolvers<Deno.CommandStatus>();
    const signals: string[] = [];
    let isKnown = false;
    void status.promise.then(() => isKnown = true);
    const kill = async (signal: string) => {
      signals.push(signal);
      // Later than what does not wait, and before any timer
      for (let turn = 0; turn < 100; turn++) await undefined;
      status.resolve({ success: false, code: 137, signal: "SIGKILL" });
    };
    await endTree({
      child: { pid: 1, status: status.promise, kill } as never,
      sandbox: { endsProcesses: true } as never,
      ...{ mark: "", leads: false, hasEnded: () => hasEnded },
    }, { graceMs: 0, forceSignal: AbortSignal.abort() });
    assert.deepEqual([signals, isKnown], hasEnded ? [[], false] : [["SIGKILL"], true]);
  });
}

here.test("calls that end together share a listing and end each its own", async () => {
  const script = "setsid sleep 3600 & echo end $!; wait";
  const ids = await Promise.all(Array.from({ length: 20 }, () => abandoned(script, 1)));
  await untilGone(...ids.flat());
});

here.test("a mark around a call's own is kept for the programs of the call", async () => {
  const { stdout } = await run(shell("echo $CLIMAX_CALL; CLIMAX_CALL= sh -c 'echo $CLIMAX_CALL'"));
  assert.match(stdout.text, new RegExp(`^${Deno.pid}\\.\\d+\\.[0-9a-f]{24}\\n\\n$`));
});

const rights: readonly (readonly [programs: string, isChildEnded: boolean, said: RegExp])[] = [
  ["sh", false, /^\S+ warning: Process \d+ is ended, but programs it started may still run: /m],
  ["sh,kill", true, /^(?!.*may still run)/s],
  ["sh,kill,ps", true, /^(?!.*may still run)/s],
];

for (const [programs, isChildEnded, said] of rights) {
  here.test(`endTree() ends what it can with --allow-run=${programs}, and says what not`, async () => {
    await using dir = await scratch();
    writeProgram(join(dir.path, "climax-tool"), "#!/bin/sh\n");
    const permissions = ["--no-prompt", "--allow-env", `--allow-run=${programs}`];
    const file = fixturePath("exec", "few_rights.ts");
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", ...permissions, file, dir.path],
      stdin: "null",
    });
    const { stdout, stderr } = await child.output();
    const [text, log] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.match(log!, said);
    const [line, found, missing] = text!.split("\n");
    const [, own, below] = /^cancelled (\d+) (\d+)$/.exec(line!) ?? assert.fail(text);
    if (!isChildEnded) {
      assert.equal(isAlive(Number(below)), true);
      Deno.kill(Number(below), "SIGKILL");
    }
    await untilGone(Number(own), Number(below));
    // Where it may not look for itself, a shell does, and not in the directory of the call
    assert.deepEqual([found, missing], [join(dir.path, "climax-tool"), "none none"]);
  });
}
