/** Processor time of processes, on Linux. */

/** Milliseconds that a core has worked for all threads of `pids`. */
export function cpuMs(pids: readonly number[]): number {
  return pids.map((pid) => {
    const threads = [...Deno.readDirSync(`/proc/${pid}/task`)].map(({ name }) => {
      const [ns] = Deno.readTextFileSync(`/proc/${pid}/task/${name}/schedstat`).split(" ");
      return Number(ns) / 1e6;
    });
    return threads.reduce((a, b) => a + b);
  }).reduce((a, b) => a + b);
}
