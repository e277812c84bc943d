/** Shows, in one line at the bottom of a terminal, which work runs and for how long. */

import { type Clock, repeat, systemClock } from "../async/clock.ts";
import { io, optionalVariable } from "../io.ts";
import { note, quiet } from "../log.ts";
import { setWatcher, type WatchedWork } from "../process/progress.ts";
import { columnsOf, drawStatus, paint } from "../terminal.ts";
import { harmless } from "../text/escape.ts";

const tickMs = 1000;

/** Two updates are at least this many milliseconds apart, even if work begins and ends all the time. */
const minMs = 100;

/** The line is shown after this many milliseconds, so that short work shows none. */
const quietMs = 300;

/** Runs `work` while a line on stderr describes it; `tell` changes the description. */
export async function showWaiting<T>(
  words: string,
  work: (tell: (words: string) => void) => Promise<T>,
  clock: Clock = systemClock,
): Promise<T> {
  if (!isShown()) return await work(() => {});
  const end = begin(words, "", clock);
  try {
    return await work((words) => {
      end.task.verb = words;
      redraw();
    });
  } finally {
    end();
  }
}

/** Shows the line for all work that other modules wrap in `watched`. */
export function showWork(clock: Clock = systemClock): void {
  setWatcher(isShown() ? (work, run) => show(work, run, clock) : undefined);
}

async function show<T>(
  { verb, subject, summary }: WatchedWork<T>,
  run: () => Promise<T>,
  clock: Clock,
): Promise<T> {
  const started = clock.now();
  const end = begin(verb, subject, clock);
  const say = (what: string) => {
    const seconds = ((clock.now() - started) / 1000).toFixed(1);
    note(paint(`${subject} ${what} ${seconds} s`, "dim", "stderr"));
  };
  try {
    const result = await run();
    if (summary !== undefined) say(summary(result));
    return result;
  } catch (error) {
    if (summary !== undefined) say("failed");
    throw error;
  } finally {
    end();
  }
}

interface Task {
  verb: string;
  readonly subject: string;
  readonly started: number;
}

const tasks = new Set<Task>();
let isDrawn = false;
let drawnAt = -Infinity;
let cancelTicks: () => void = () => {};
let current: Clock = systemClock;

function begin(
  verb: string,
  subject: string,
  clock: Clock,
): (() => void) & { readonly task: Task } {
  const task: Task = { verb, subject, started: clock.now() };
  if (tasks.size === 0) startTicks(clock);
  tasks.add(task);
  redraw();
  return Object.assign(() => {
    tasks.delete(task);
    if (tasks.size > 0) return redraw();
    cancelTicks();
    isDrawn = false;
    drawStatus("");
  }, { task });
}

function startTicks(clock: Clock): void {
  current = clock;
  drawnAt = -Infinity;
  const cancelFirst = clock.after(quietMs, () => {
    isDrawn = true;
    redraw();
  });
  const cancelRest = repeat(clock, tickMs, redraw);
  cancelTicks = () => {
    cancelFirst();
    cancelRest();
  };
}

/** Draws the line: the subjects behind their common verb, and the seconds since the oldest work began. */
function redraw(): void {
  if (!isDrawn || current.now() - drawnAt < minMs) return;
  drawnAt = current.now();
  const byVerb = Map.groupBy(tasks, ({ verb }) => verb);
  const words = [...byVerb].map(([verb, same]) => {
    return [verb, same.map(({ subject }) => subject).join(", ")].join(" ").trim();
  });
  const first = Math.min(...[...tasks].map(({ started }) => started));
  const seconds = Math.floor((current.now() - first) / 1000);
  const end = ` … ${seconds} s`;
  // If the line is too long, the words are cut and the seconds stay
  const room = columnsOf("stderr") - 1 - end.length;
  drawStatus([...harmless(words.join("; "))].slice(0, room).join("") + end);
}

function isShown(): boolean {
  return io().stderr.isTerminal() && optionalVariable("TERM") !== "dumb" && !quiet();
}
