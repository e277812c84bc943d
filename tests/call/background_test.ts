/**
 * Calls that continue after their answers, through real programs and a real session. The time of soft timeouts
 * and jobs stands still until a test moves it.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { call } from "../../src/call/call.ts";
import {
  type CallOptions,
  completeCall,
  type PlannedCall,
  type ReceivedCall,
  resultOf,
} from "../../src/call/pipeline.ts";
import { Jobs } from "../../src/jobs/jobs.ts";
import { ToolIndex } from "../../src/catalog/tool_index.ts";
import { classicSurface } from "../../src/server/surface.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import type { Session, SessionOptions } from "../../src/session/session.ts";
import { textOf, textResult } from "../../src/tool/result.ts";
import type { Answer as Answered, ProgressEvent } from "../../src/tool/runner.ts";
import { isAlive, until } from "../_wait.ts";
import { scratch } from "../e2e/_scratch.ts";
import { FakeClock, settle } from "../_clock.ts";
import { type Answer, answerOf, openPolicy, sessionOf, shellTool } from "../_session.ts";
import { cliOf, toolOf } from "../_tools.ts";
import { unix } from "../_requirements.ts";
import {
  backgroundAfter,
  type BackgroundJobs,
  schemaOfBackground,
} from "../../src/call/background.ts";
import { type JobBounds } from "../../src/jobs/job.ts";
import { background, settleJob } from "../../src/call/stages.ts";

/** The soft timeout of `soft`, in milliseconds. */
const softMs = 200;

const tools = [
  { name: "back", ...shellTool, background: true, effect: "write", timeout: 60 },
  { name: "soft", ...shellTool, soft_timeout: softMs / 1000, timeout: 60 },
  { name: "plain", ...shellTool, timeout: 60 },
];

interface Place {
  readonly dir: string;
  readonly session: Session;
  readonly jobs: Jobs;
  readonly clock: FakeClock;
  ask(tool: string, args?: object, options?: CallOptions): Promise<Answer>;
  /** Calls a tool and lets its soft timeout pass, once its program has written a line. Does not wait for the answer. */
  askSlowly(tool: string, script: string): Promise<{ readonly answer: Promise<Answer> }>;
  /** Lets the programs end that wait for `file`. */
  go(file?: string): Promise<void>;
}

/** A script that writes a line, and ends when there is `file`. */
const waitsFor = (file: string) => {
  return `echo half; while [ ! -e ${file} ]; do sleep 0.02; done; echo whole`;
};
const waits = waitsFor("go");

/** A session with jobs, in a directory of its own. */
async function withJobs(
  use: (place: Place) => Promise<void>,
  { bounds, ...options }: Omit<SessionOptions, "configs"> & { bounds?: Partial<JobBounds> } = {},
  more: readonly object[] = [],
): Promise<void> {
  await using dir = await scratch();
  const clock = new FakeClock();
  const jobs = new Jobs({ running: 2, ...bounds }, clock);
  const config = { working_dir: dir.path, tools: [...tools, ...more] };
  const session = await sessionOf(config, { policy: openPolicy, ...options, jobs, clock });
  const ask = async (tool: string, args: object = {}, how?: CallOptions) => {
    return answerOf(await call(session, { tool, args }, how));
  };
  const askSlowly = async (tool: string, script: string) => {
    const running = Promise.withResolvers<void>();
    const answer = ask(tool, { script }, { onProgress: () => running.resolve() });
    await running.promise;
    await clock.advance(softMs);
    return { answer };
  };
  const go = (file = "go") => Deno.writeTextFile(join(dir.path, file), "");
  try {
    await use({ dir: dir.path, session, jobs, clock, ask, askSlowly, go });
  } finally {
    await jobs.close();
    await session.close();
  }
}

function idIn({ text }: Answer): string {
  const [, id] = /\[still running: job_result \{"id": "(j\w{12})", "wait": 45\}\]$/.exec(text) ??
    [];
  assert.notEqual(id, undefined, text);
  return id!;
}

Deno.test("job_status shows the last lines of a running job, without secrets in part", async () => {
  if (Deno.build.os === "windows") return;
  await withJobs(async ({ ask, clock, go }) => {
    const printed = "printf 'one\\ntwo\\n\\033[1mthree\\033[0m\\nfo'";
    const id = idIn(await ask("back", { script: `${printed}; ${waits}` }));
    const status = async () => (await ask("job_status", { job_id: id, tail: 2 })).text;
    await until(async () => (await status()).includes("half"), "the output");
    assert.match(await status(), /^three\nfohalf\n\[back has been running/);
    await clock.advance(1000);
    assert.match((await ask("job_status", { id, lines: 0 })).text, /^\[last line: "fohalf"\]\n/);
    assert.match((await ask("job_status", { id })).text, /^one\ntwo\nthree\nfohalf\n\[back/);
    await go();
    await ask("job_result", { id, wait: 60 });
    assert.match((await ask("job_status", { id })).text, /^\[back has finished/);
  });
});

Deno.test("a background call is answered at once, and its result is the call's", async () => {
  if (Deno.build.os === "windows") return;
  await withJobs(async ({ session, ask, go }) => {
    assert.equal(session.index.get("job_status"), undefined);
    const answer = await ask("back", { script: `${waits}; echo no >&2; exit 3` });
    assert.equal(answer.isError, false);
    const id = idIn(answer);
    assert.equal(answer.text, `[still running: job_result {"id": "${id}", "wait": 45}]`);
    // Not before there is something to look after
    assert.notEqual(session.index.get("job_status"), undefined);
    assert.equal(idIn(await ask("job_result", { id })), id);
    assert.match((await ask("job_status", { id })).text, /\[back has been running for \S+ s: job_/);
    assert.match((await ask("job_list")).text, new RegExp(`^${id} running back \\S+ s$`));
    await go();
    const expected = { text: "half\nwhole\n\n[stderr]\nno\n\n[exit code: 3]", isError: true };
    assert.deepEqual(await ask("job_result", { id, wait: 60 }), expected);
    // As often as it is asked for
    assert.deepEqual(await ask("job_result", { id }), expected);
    assert.match((await ask("job_status", { id })).text, /^\[back ended with an error after/);
    assert.match((await ask("job_list")).text, /finished back/);
  });
});

unix.test("the soft limit of a session holds for tools that do not say", async () => {
  const never = { name: "never", ...shellTool, soft_timeout: 0 };
  const short = { name: "short", ...shellTool, timeout: 0.2 };
  await withJobs(
    async ({ ask, askSlowly, go, clock }) => {
      const id = idIn(await (await askSlowly("plain", waits)).answer);
      await go();
      assert.equal((await ask("job_result", { id, wait: 60 })).text, "half\nwhole");
      const never = await askSlowly("never", waitsFor("late"));
      await clock.advance(5 * softMs);
      await go("late");
      assert.equal((await never.answer).text, "half\nwhole");
      const short = await askSlowly("short", "echo half; exec sleep 30");
      assert.match((await short.answer).text, /timed out after 0.2s/);
    },
    { calls: { softTimeoutMs: softMs } },
    [never, short],
  );
});

unix.test("the timeout ends a job, and the result says so", async () => {
  const brief = { name: "brief", ...shellTool, background: true, timeout: 0.3 };
  await withJobs(
    async ({ ask, jobs, clock }) => {
      const id = idIn(await ask("brief", { script: "echo half; exec sleep 60" }));
      const [job] = jobs.of();
      await until(() => job!.view().lastLine === "half", "the output");
      await clock.advance(300);
      const { text, isError } = await ask("job_result", { id, wait: 60 });
      assert.match(text, /^half\n\n\[stderr\]\nCommand timed out after 0.3s/);
      assert.equal(isError, true);
    },
    {},
    [brief],
  );
});

unix.test("job_cancel ends the programs of the call, and says so", async () => {
  await withJobs(async ({ ask, dir }) => {
    const script = "sleep 60 & echo $! > child; echo $$ > own; wait";
    const id = idIn(await ask("back", { script }));
    const pid = (name: string) => {
      return () => {
        const text = readIf(join(dir, name)).trim();
        return text === "" ? undefined : Number(text);
      };
    };
    const pids = [await until(pid("own"), "a pid"), await until(pid("child"), "a pid")];
    assert.match((await ask("job_cancel", { id })).text, /^\[back was cancelled after /);
    assert.deepEqual(pids.map(isAlive), [false, false]);
    assert.match((await ask("job_result", { id })).text, /Command was cancelled/);
    // Twice is once
    assert.match((await ask("job_cancel", { id })).text, /^\[back was cancelled after /);
    assert.match((await ask("job_list")).text, /cancelled back/);
  });
});

unix.test("a client may cancel a call until it is answered, and not after", async () => {
  await withJobs(async ({ ask, go, jobs }) => {
    const early = new AbortController();
    const onProgress = () => early.abort();
    const cancelled = await ask("soft", { script: waits }, { signal: early.signal, onProgress });
    assert.match(cancelled.text, /Command was cancelled/);
    assert.deepEqual(jobs.of(), []);
    const late = new AbortController();
    const id = idIn(await ask("back", { script: waits }, { signal: late.signal }));
    late.abort();
    await go();
    assert.equal((await ask("job_result", { id, wait: 60 })).text, "half\nwhole");
  });
});

const reasons: readonly [reason: unknown, isLeft: boolean][] = [
  // The official clients at their own limit, the older one first
  ["McpError: MCP error -32001: Request timed out", true],
  ["SdkError: Request timed out", true],
  [new DOMException("The operation timed out.", "TimeoutError"), true],
  ["the client has disconnected", true],
  ["AbortError: This operation was aborted", false],
  ["Connection closed", false],
  ["the user pressed Escape", false],
  [undefined, false],
];

for (const [reason, isLeft] of reasons) {
  const what = isLeft ? "leaves a job, and is told of it once" : "ends the call";
  unix.test(`a client that gives up for '${reason}' ${what}`, async () => {
    await withJobs(async ({ ask, go, jobs, session }) => {
      const client = "ada";
      const stop = new AbortController();
      const onProgress = () => stop.abort(reason);
      const answer = await ask("soft", { script: waits }, {
        client,
        signal: stop.signal,
        onProgress,
      });
      if (!isLeft) {
        assert.match(answer.text, /Command was cancelled/);
        assert.equal((await ask("plain", { script: "echo next" }, { client })).text, "next");
        return assert.deepEqual(jobs.of(), []);
      }
      const id = idIn(answer);
      // Not before there is a job
      assert.notEqual(session.index.get("job_list"), undefined);
      const other = await ask("plain", { script: "echo" }, { client: "bob" });
      assert.equal(other.text, "(no output)");
      assert.equal(
        (await ask("plain", { script: "echo next" }, { client })).text,
        `next\n\n[soft was not ended when its client stopped waiting: job_result {"id": "${id}", "wait": 45}]`,
      );
      await go();
      assert.equal((await ask("job_result", { id, wait: 45 }, { client })).text, "half\nwhole");
    });
  });
}

unix.test("a call asks for a job at once by a key that is no argument of its tool", async () => {
  const own = {
    name: "own",
    command: "echo",
    timeout: 60,
    args: [{ name: "background", type: "boolean", flag: "--ground" }],
  };
  const never = { name: "never", ...shellTool, background: false };
  await withJobs(
    async ({ ask, session }) => {
      const script = "echo end";
      const discovery = discoverySurface(session);
      const call = { tool_name: "plain", args: { script }, background: true };
      const given = answerOf(await discovery.call("climax_call", call, {}));
      assert.equal((await ask("job_result", { id: idIn(given), wait: 45 })).text, "end");
      for (const background of [true, "true"]) {
        idIn(answerOf(await classicSurface(session).call("soft", { script, background }, {})));
      }
      assert.equal((await ask("soft", { script, background: false })).text, "end");
      idIn(await ask("soft", { script, run_in_background: true }));
      assert.equal((await ask("own", { background: true })).text, "--ground");
      const refused = await ask("never", { script, background: true });
      assert.match(refused.text, /background/);
      assert.doesNotMatch(refused.text, /still running/);
      const keys = classicSurface(session).list().map(({ name, inputSchema }) => {
        return [name, Object.keys(inputSchema.properties ?? {})] as const;
      });
      const shown = keys.filter(([, names]) => names.includes("background"));
      assert.deepEqual(shown.map(([name]) => name), ["soft", "own"]);
    },
    { calls: { concurrency: 8 }, bounds: { running: 4 } },
    [own, never],
  );
});

unix.test("jobs leave permits to other calls", async () => {
  await withJobs(
    async ({ ask, askSlowly, go, jobs }) => {
      const ids = [
        idIn(await ask("back", { script: waits })),
        idIn(await ask("back", { script: waits })),
      ];
      const stop = new AbortController();
      const third = ask("back", { script: "echo third" }, { signal: stop.signal });
      const fourth = ask("back", { script: "echo fourth" });
      // Over its soft limit without a place for jobs: it stays in the foreground
      const soft = await askSlowly("soft", waitsFor("soft"));
      assert.equal((await ask("plain", { script: "echo free" })).text, "free");
      await go("soft");
      assert.equal((await soft.answer).text, "half\nwhole");
      assert.equal(jobs.of().length, 2);
      stop.abort();
      assert.match((await third).text, /cancelled/);
      await go();
      ids.push(idIn(await fourth));
      for (const id of ids) {
        assert.equal((await ask("job_result", { id, wait: 60 })).isError, false);
      }
      assert.equal(jobs.of().length, 3);
    },
    { calls: { concurrency: 4 } },
  );
});

unix.test("a call that waits for a job needs no permit", async () => {
  await withJobs(
    async ({ ask, go, session }) => {
      const id = idIn(await ask("back", { script: waits }));
      const waiting = Array.from({ length: 50 }, () => ask("job_result", { id, wait: 60 }));
      assert.equal((await ask("plain", { script: "echo free" })).text, "free");
      assert.equal(session.semaphore.countHeld(undefined), 1);
      await go();
      for (const each of await Promise.all(waiting)) assert.equal(each.text, "half\nwhole");
    },
    { calls: { concurrency: 2 }, bounds: { running: 1 } },
  );
});

const policies: readonly [what: string, policy: string][] = [
  ["without job_status", "tools: { back: , soft: , job_result: , job_cancel: }"],
  ["without job_result", "tools: { back: , soft: , job_status: }"],
  ["that denies them", "default: enabled\ndeny: ['cli:job']"],
  [
    "that wants no background",
    "default: enabled\ntools: { back: { background: false }, soft: { background: false } }",
  ],
];

for (const [what, text] of policies) {
  unix.test(`a policy ${what} lets no call continue in the background`, async () => {
    await withJobs(async ({ ask, askSlowly, go, session }) => {
      assert.equal((await ask("back", { script: "echo end" })).text, "end");
      const soft = await askSlowly("soft", waits);
      await go();
      assert.equal((await soft.answer).text, "half\nwhole");
      assert.equal(session.index.get("job_status"), undefined);
    }, { policy: { file: "policy.yaml", text } });
  });
}

unix.test("a person agrees before a job begins, and is asked nothing later", async () => {
  const text = "default: enabled\nconfirm: write\n";
  await withJobs(async ({ ask, dir }) => {
    const asked: string[] = [];
    const refuse: CallOptions = {
      ask: ({ message }) => (asked.push(message), Promise.resolve({ action: "decline" })),
    };
    assert.match((await ask("back", { script: "echo > ran" }, refuse)).text, /^Call refused/);
    assert.equal(asked.length, 1);
    assert.equal(readIf(join(dir, "ran")), "");
    const agree: CallOptions = {
      ask: () => Promise.resolve({ action: "accept", content: { run: true } }),
    };
    const id = idIn(await ask("back", { script: "echo > ran; sleep 60" }, agree));
    // To end it changes something as well
    assert.match((await ask("job_cancel", { id })).text, /this tool requires confirmation/);
    assert.match((await ask("job_cancel", { id }, agree)).text, /was cancelled/);
  }, { policy: { file: "policy.yaml", text } });
});

unix.test("the audit log has the beginning and the end of each job", async () => {
  await using logs = await scratch();
  const audit = join(logs.path, "audit.jsonl");
  await withJobs(async ({ ask, askSlowly, go }) => {
    const ids = [
      idIn(await ask("back", { script: waits })),
      idIn(await (await askSlowly("soft", waits)).answer),
    ];
    const lines = () => linesIn(audit).filter(({ job }) => job !== undefined);
    assert.deepEqual(lines().map(({ job, ending }) => [job, ending]), [
      [ids[0], "still running"],
      [ids[1], "still running"],
    ]);
    await go();
    for (const id of ids) await ask("job_result", { id, wait: 60 });
    const ends = lines().slice(2);
    assert.deepEqual(new Set(ends.map(({ job }) => job)), new Set(ids));
    for (const { tool, ending, exit_code, argv, stdout_bytes } of ends) {
      assert.match(tool as string, /^(?:back|soft)$/);
      assert.deepEqual([ending, exit_code, stdout_bytes], ["exited", 0, 11]);
      assert.deepEqual((argv as string[])[0], "sh");
    }
    // What looks after them is on record as any call
    assert.equal(linesIn(audit).filter(({ tool }) => tool === "job_result").length, 2);
  }, { audit });
});

unix.test("without an audit log no job begins, and none gives its result", async () => {
  await using logs = await scratch();
  const audit = join(logs.path, "audit.jsonl");
  await withJobs(async ({ ask, go, jobs, dir, clock }) => {
    const id = idIn(await ask("back", { script: waits }));
    const running = Promise.withResolvers<void>();
    const onProgress = () => running.resolve();
    const soft = ask("soft", { script: waitsFor("soft") }, { onProgress });
    await running.promise;
    await Deno.rename(audit, `${audit}.old`);
    await clock.advance(softMs);
    await go("soft");
    // It continues in the foreground, and its result is withheld
    assert.match((await soft).text, /^Result withheld: audit log .* is not where it was/);
    assert.match((await ask("back", { script: "echo > ran" })).text, /^Call refused: audit log/);
    assert.equal(readIf(join(dir, "ran")), "");
    await go();
    const [job] = jobs.of();
    await job!.ended;
    assert.match(textOf(job!.result!), /^Result withheld: audit log/);
    assert.equal(jobs.of().length, 1);
    await Deno.rename(`${audit}.old`, audit);
    assert.match((await ask("job_result", { id })).text, /^Result withheld: audit log/);
    // The lines are written once they can be
    const ends = linesIn(audit).filter(({ ending }) => ending === "exited");
    assert.deepEqual(ends.map(({ tool }) => tool).toSorted(), ["back", "soft"]);
  }, { audit });
});

unix.test("a tool with background calls promises no structured content", async () => {
  await withJobs(({ session }) => {
    const promising = session.index.tools.map((tool) => ({
      ...tool,
      output: { type: "object" } as const,
    }));
    session.catalog.replace(new ToolIndex(promising));
    const listed = classicSurface(session).list();
    const names = listed.filter((tool) => tool.outputSchema !== undefined).map(({ name }) => name);
    assert.deepEqual(names, ["plain"]);
    return Promise.resolve();
  });
});

function readIf(file: string): string {
  try {
    return Deno.readTextFileSync(file);
  } catch {
    return "";
  }
}

function linesIn(file: string): Record<string, unknown>[] {
  return Deno.readTextFileSync(file).trim().split("\n").map((line) => JSON.parse(line));
}

/** A call of a tool with a soft timeout that does `work`. */
function lasting(
  options: CallOptions,
  work: (options: CallOptions) => Promise<string>,
  isAvailable = () => true,
) {
  const clock = new FakeClock();
  const jobs = new Jobs({ running: 1 }, clock);
  const context = { background: { jobs, softTimeoutMs: 0, isAvailable, expose: () => {} } };
  const tool = { name: "asks", timeoutMs: 60_000, softTimeoutMs: softMs, owner: {} };
  const plan = { preview: { record: {}, line: "" } };
  const planned = { context, tool, plan, options, request: { tool: "asks" }, receivedAt: 0 };
  const outcome = settleJob(planned as unknown as ReceivedCall, () => {
    return background(planned as unknown as PlannedCall, async (call) => {
      call.onStart!();
      return completeCall(call, textResult(await work(call.options)));
    });
  });
  return {
    jobs,
    clock,
    answer: Promise.resolve(outcome).then(resultOf),
    /** Lets the soft timeout pass. */
    async pass() {
      await clock.timer(softMs);
      await clock.advance(softMs);
    },
  };
}

const question = { mode: "url", message: "", url: "https://example.org" } as const;

Deno.test("a call does not become a job while its question is open", async () => {
  const asked = Promise.withResolvers<void>();
  const said = Promise.withResolvers<Answered>();
  const ask = () => (asked.resolve(), said.promise);
  const over = Promise.withResolvers<void>();
  const { jobs, answer, pass } = lasting({ ask }, async (own) => {
    const { action } = await own.ask!(question);
    await over.promise;
    return action;
  });
  await asked.promise;
  await pass();
  assert.deepEqual(jobs.of(), []);
  said.resolve({ action: "accept" });
  idIn(answerOf(await answer));
  over.resolve();
  const [job] = jobs.of();
  await job!.ended;
  assert.equal(textOf(job!.result!), "accept");
});

Deno.test("a job is announced before its answer, and has its start, its permit and the progress", async () => {
  const over = Promise.withResolvers<void>();
  const heard: (string | undefined)[] = [];
  const onProgress = ({ message }: ProgressEvent) => void heard.push(message);
  const { jobs, answer, pass } = lasting({ onProgress }, async (own) => {
    own.onProgress!({ progress: 1, message: ` half\n\n done ${"x".repeat(190)}` });
    own.onProgress!({ progress: 2 });
    await over.promise;
    own.onProgress!({ progress: 3, message: "later" });
    return "end";
  });
  const announced = Promise.withResolvers<void>();
  jobs.announce = () => announced.promise;
  await pass();
  let isAnswered = false;
  void answer.then(() => isAnswered = true);
  await settle();
  assert.equal(isAnswered, false);
  announced.resolve();
  idIn(answerOf(await answer));
  const [job] = jobs.of();
  assert.equal(job!.view().lastLine, `half done ${"x".repeat(189)}…`);
  assert.deepEqual([job!.ranMs, jobs.semaphore.countHeld(undefined)], [softMs, 1]);
  over.resolve();
  await job!.ended;
  assert.deepEqual([job!.view().lastLine, heard.length], ["later", 2]);
});

Deno.test("a background job cannot ask the user", async () => {
  const over = Promise.withResolvers<void>();
  const ask = () => Promise.reject(new Error("asked"));
  const { jobs, answer, pass } = lasting({ ask }, async (own) => {
    await over.promise;
    const { action, ...rest } = await own.ask!(question);
    return `${action}: ${JSON.stringify(rest)}`;
  });
  await pass();
  await answer;
  over.resolve();
  const [job] = jobs.of();
  await job!.ended;
  assert.match(textOf(job!.result!), /^unasked: .*background jobs cannot ask the user/);
});

Deno.test("a call that throws is a failed job", async () => {
  const over = Promise.withResolvers<void>();
  const { jobs, answer, pass } = lasting({}, async () => {
    await over.promise;
    throw new Error("broken");
  });
  await pass();
  await answer;
  over.resolve();
  const [job] = jobs.of();
  await job!.ended;
  assert.deepEqual(answerOf(job!.result!), { text: "Call failed: broken", isError: true });
  // Its place is free again
  assert.equal(typeof await jobs.semaphore.acquire(), "function");
});

Deno.test("a call does not become a job where jobs may not be read", async () => {
  const looked = Promise.withResolvers<void>();
  let looks = 0;
  const { jobs, answer, pass } = lasting({}, async () => {
    await looked.promise;
    return "waited for";
  }, () => ++looks === 1 || (looked.resolve(), false));
  await pass();
  assert.equal(answerOf(await answer).text, "waited for");
  assert.deepEqual(jobs.of(), []);
});

const open = { jobs: { isOpen: true }, softTimeoutMs: 200, isAvailable: () => true };
const alone = { ...open, softTimeoutMs: 0 };
const late = { ...open, softTimeoutMs: 60_000 };
const always = { background: true };

for (
  const [what, given, tool, expected] of [
    ["no jobs", undefined, always, undefined],
    ["a background tool", open, always, 0],
    ["a tool that never does", open, { background: false }, undefined],
    ["the soft timeout of all", open, {}, 200],
    ["its own", open, { softTimeoutMs: 5 }, 5],
    ["its own of none", open, { softTimeoutMs: 0 }, undefined],
    ["its own beyond that of all", open, { softTimeoutMs: 1000 }, 200],
    ["its own, and none of all", alone, { softTimeoutMs: 5 }, 5],
    ["none at all", alone, {}, undefined],
    ["the clients' own limit", alone, { softTimeoutMs: 60_000, timeoutMs: 600_000 }, 45_000],
    ["the clients' own limit of all", late, { timeoutMs: 600_000 }, 45_000],
    ["a timeout before the clients' limit", alone, {
      softTimeoutMs: 60_000,
      timeoutMs: 50_000,
    }, 45_000],
    ["a timeout before the longest", alone, {
      softTimeoutMs: 60_000,
      timeoutMs: 40_000,
    }, undefined],
    ["no longer timeout", open, { timeoutMs: 200 }, undefined],
    ["a longer timeout", open, { timeoutMs: 201 }, 200],
    ["a built-in tool", open, { ...always, owner: cliOf("own", { isBuiltin: true }) }, undefined],
    ["jobs that may not be read", { ...open, isAvailable: () => false }, always, undefined],
    ["jobs at their end", { ...open, jobs: { isOpen: false } }, always, undefined],
  ] as const
) {
  Deno.test(`backgroundAfter() with ${what}: ${expected}`, () => {
    const jobs = given as unknown as BackgroundJobs | undefined;
    const output = { type: "object" } as const;
    assert.equal(backgroundAfter(jobs, toolOf("a", tool)), expected);
    assert.equal(
      schemaOfBackground(jobs, toolOf("a", { ...tool, output })),
      expected === undefined ? output : undefined,
    );
    assert.equal(schemaOfBackground(jobs, toolOf("a", tool)), undefined);
  });
}

unix.test("a policy can let the calls of a tool continue in the background", async () => {
  const text = "default: enabled\ntools: { plain: { background: true } }";
  await withJobs(async ({ ask }) => {
    const id = idIn(await ask("plain", { script: "echo end" }));
    assert.equal((await ask("job_result", { id, wait: 60 })).text, "end");
  }, { policy: { file: "policy.yaml", text } });
});

unix.test("waiting for a job ends when its client cancels", async () => {
  await withJobs(async ({ ask }) => {
    const id = idIn(await ask("back", { script: waits }));
    const gone = new AbortController();
    const waiting = ask("job_result", { id, wait: 300 }, { signal: gone.signal });
    gone.abort();
    assert.equal(idIn(await waiting), id);
  });
});
