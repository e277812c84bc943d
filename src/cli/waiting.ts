/** Shows on a terminal that something takes its time, and how long already. */

/** Milliseconds between two looks at the clock. */
const tickMs = 1000;

/** Runs `work` under a line on stderr that says what it is; `tell` changes the words. */
export async function waiting<T>(
  words: string,
  work: (tell: (words: string) => void) => Promise<T>,
): Promise<T> {
  if (!Deno.stderr.isTerminal()) return await work(() => {});
  const started = performance.now();
  let current = words;
  const draw = () => {
    const seconds = Math.round((performance.now() - started) / 1000);
    write(`\r\x1b[K${current} … ${seconds} s`);
  };
  draw();
  const timer = setInterval(draw, tickMs);
  try {
    return await work((words) => {
      current = words;
      draw();
    });
  } finally {
    clearInterval(timer);
    write("\r\x1b[K");
  }
}

function write(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(text));
}
