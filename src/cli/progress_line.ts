/** Shows on a terminal what runs, and for how long. */

import { io } from "../io.ts";
import { optionalVariable } from "../process/environment.ts";
import { harmless } from "../text/escape.ts";

/** Milliseconds between two updates. */
const tickMs = 1000;

/** Milliseconds before a progress line is shown. */
const quietMs = 300;

/** Runs `work` under a line on stderr that describes it; `tell` changes the description. */
export async function waiting<T>(
  words: string,
  work: (tell: (words: string) => void) => Promise<T>,
): Promise<T> {
  const isDumb = optionalVariable("TERM") === "dumb";
  if (!io().stderr.isTerminal() || isDumb) return await work(() => {});
  const started = performance.now();
  let current = words;
  let isDrawn = false;
  const draw = () => {
    isDrawn = true;
    const seconds = Math.round((performance.now() - started) / 1000);
    write(`\r\x1b[K${harmless(current)} … ${seconds} s`);
  };
  const first = setTimeout(draw, quietMs);
  const timer = setInterval(draw, tickMs);
  try {
    return await work((words) => {
      current = words;
      if (isDrawn) draw();
    });
  } finally {
    clearTimeout(first);
    clearInterval(timer);
    if (isDrawn) write("\r\x1b[K");
  }
}

function write(text: string): void {
  io().stderr.writeSync(new TextEncoder().encode(text));
}
