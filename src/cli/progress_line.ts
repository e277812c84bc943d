/** Shows, in one line at the bottom of a terminal, which work runs and for how long. */

import { type Clock, repeat, systemClock } from "../async/clock.ts";
import { io, optionalVariable } from "../io.ts";
import { note, quiet } from "../log.ts";
import { setWatcher, type WatchedWork } from "../process/progress.ts";
import { columnsOf, drawStatus, paint } from "../terminal.ts";
import { harmless } from "../text/escape.ts";

/** The line is shown after this many milliseconds, so that short work shows none. */
const quietMs = 300;

export async function showWaiting<T>(
  words: string,
  work: (tell: (words: string) => void) => Promise<T>,
  clock: Clock = systemClock,
): Promise<T> {
  if (!isShown()) return await work(() => {});
  const task: Task = { verb: words, subject: "", started: clock.now() };
  return await showDuring(task, clock, () =>
    work((words) => {
      task.verb = words;
      redraw();
    }));
}

/** Erases the line until `work` ends, because a question needs the terminal for itself. */
export async function withoutLine<T>(work: () => Promise<T>): Promise<T> {
  isErased = true;
  drawStatus("");
  try {
    return await work();
  } finally {
    isErased = false;
  }
}

export function showWork(clock: Clock = systemClock): void {
  setWatcher(isShown() ? (work, run) => show(work, run, clock) : undefined);
}

async function show<T>(
  { verb, subject, summary }: WatchedWork<T>,
  run: () => Promise<T>,
  clock: Clock,
): Promise<T> {
  const started = clock.now();
  const say = (what: string) => {
    const seconds = ((clock.now() - started) / 1000).toFixed(1);
    note(paint(`${subject} ${what} ${seconds} s`, "dim", "stderr"));
  };
  try {
    const result = await showDuring({ verb, subject, started }, clock, run);
    if (summary !== undefined) say(summary(result));
    return result;
  } catch (error) {
    if (summary !== undefined) say("failed");
    throw error;
  }
}

interface Task {
  verb: string;
  readonly subject: string;
  readonly started: number;
}

const tasks = new Set<Task>();
let isDrawn = false;
let isErased = false;
let cancelTicks: () => void = () => {};
let current: Clock = systemClock;

async function showDuring<T>(task: Task, clock: Clock, run: () => Promise<T>): Promise<T> {
  if (tasks.size === 0) startTicks(clock);
  tasks.add(task);
  redraw();
  try {
    return await run();
  } finally {
    tasks.delete(task);
    if (tasks.size > 0) redraw();
    else {
      cancelTicks();
      isDrawn = false;
      drawStatus("");
    }
  }
}

function startTicks(clock: Clock): void {
  current = clock;
  const cancelFirst = clock.after(quietMs, () => {
    isDrawn = true;
    redraw();
  });
  const cancelRest = repeat(clock, 1000, redraw);
  cancelTicks = () => {
    cancelFirst();
    cancelRest();
  };
}

/** Draws the line, such as `starting a, b … 3 s`: all running work, and the age of the oldest. */
function redraw(): void {
  if (!isDrawn || isErased) return;
  const words = [...Map.groupBy(tasks, ({ verb }) => verb)].map(([verb, same]) => {
    return `${verb} ${same.map(({ subject }) => subject).join(", ")}`.trim();
  });
  const first = Math.min(...[...tasks].map(({ started }) => started));
  const end = ` … ${Math.floor((current.now() - first) / 1000)} s`;
  // If the line is too long, the words are cut and the seconds stay
  const room = columnsOf("stderr") - 1 - end.length;
  drawStatus([...harmless(words.join("; "))].slice(0, room).join("") + end);
}

function isShown(): boolean {
  return io().stderr.isTerminal() && optionalVariable("TERM") !== "dumb" && !quiet();
}
