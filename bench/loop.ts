/**
 * How long a spawn holds up everything else: 1,000 calls wait for their places, and each start of a
 * program is timed, while a timer that wants to ring every millisecond says how late it was.
 */

import { call } from "../src/call/call.ts";
import { openSession } from "../src/session/session.ts";
import { surveyProcesses } from "../src/exec/processes.ts";

/** Calls that wait at once. */
const waiting = 1000;

/** Milliseconds that a spawn may hold up the event loop. */
const aimMs = 5;

/** Milliseconds of the median, of 99 of 100, and of the longest. */
interface Quantiles {
  readonly median: number;
  readonly most: number;
  readonly longest: number;
}

/** What was measured, as lines of text. */
export async function measureLoop(oneToolPath: string): Promise<string> {
  await surveyProcesses();
  const context = await openSession({ configs: [oneToolPath] });
  const spawns = timeSpawns();
  const lateness = watchTimer();
  await Promise.all(Array.from({ length: waiting }, () => call(context, { tool: "run" })));
  const late = quantiles(lateness());
  const spawn = quantiles(spawns());
  await context.close();
  const noise = quantiles(Array.from({ length: waiting }, () => spin(spawn.median)));
  const verdict = spawn.most <= aimMs ? "met" : "MISSED";
  return `event loop, ${waiting.toLocaleString("en-US")} calls waiting\n` +
    `a spawn holds it up for ${shown(spawn)}; aim ${aimMs} ms: ${verdict}\n` +
    `noise: arithmetic for as long takes ${shown(noise)}\n` +
    `a timer is late by ${shown(late)}`;
}

/** Counts for `ms` milliseconds; takes longer only where the machine does something else. */
function spin(ms: number): number {
  const started = performance.now();
  let now = started;
  while (now - started < ms) now = performance.now();
  return now - started;
}

/** Times every spawn until it is asked for the times. */
function timeSpawns(): () => number[] {
  const times: number[] = [];
  const { prototype } = Deno.Command;
  const { spawn } = prototype;
  prototype.spawn = function () {
    const started = performance.now();
    try {
      return spawn.call(this);
    } finally {
      times.push(performance.now() - started);
    }
  };
  return () => {
    prototype.spawn = spawn;
    return times;
  };
}

/** Notes how late a timer of one millisecond is until it is asked. */
function watchTimer(): () => number[] {
  const times: number[] = [];
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    const due = performance.now() + 1;
    timer = setTimeout(() => {
      times.push(Math.max(0, performance.now() - due));
      wait();
    }, 1);
  };
  wait();
  return () => {
    clearTimeout(timer);
    return times;
  };
}

function quantiles(times: readonly number[]): Quantiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
  return { median: at(0.5), most: at(0.99), longest: at(1) };
}

function shown({ median, most, longest }: Quantiles): string {
  const [middle, high, top] = [median, most, longest].map((ms) => ms.toFixed(2));
  return `${middle} ms (median), 99 of 100 times under ${high} ms, ${top} ms at most`;
}
