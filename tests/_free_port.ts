/** Ports that are known before a server has them. */

/** Below the ports that systems give to whoever asks for any: only this function and servers of people take these. */
const [first, count] = [20_000, 12_000];

/** A port of 127.0.0.1 for a server that must be told one, or that is started again at its own. */
export function freePort(): number {
  for (;;) {
    const port = first + crypto.getRandomValues(new Uint32Array(1))[0]! % count;
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
