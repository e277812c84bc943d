/** Makes the messages of a soak: mostly calls, some of them cancelled, and some messages that are no requests. */

/** Numbers from 0 to below 1. */
export type Random = () => number;

/** A request, and when it is cancelled if it is. */
export interface SoakRequest {
  readonly method: string;
  readonly params: object;
  readonly wantsProgress?: boolean;
  /** Milliseconds after it was sent. */
  readonly cancelAfterMs?: number;
}

type Args = (random: Random, mark: string) => Readonly<Record<string, unknown>>;

/** Tools of `tests/fixtures/e2e/soak.yaml` by how often they are called. */
const calls: readonly (readonly [weight: number, tool: string, args: Args])[] = [
  [30, "say", (random) => ({ text: `number ${random()}` })],
  [8, "count", () => ({})],
  [5, "half_character", () => ({})],
  [5, "colour", () => ({})],
  [5, "die_by_signal", (random) => ({ signal: pick(random, ["KILL", "SEGV", "TERM", "PIPE"]) })],
  [5, "fork_tree", () => ({})],
  [3, "fork_tree_for_long", () => ({})],
  [3, "ignore_term", () => ({})],
  [2, "stop_itself", () => ({})],
  [3, "own_session", () => ({})],
  [3, "scatter", () => ({})],
  [3, "background", () => ({ seconds: 1 })],
  [4, "flood", (_, mark) => ({ line: `a line of many ${mark}` })],
  [4, "never_read", (_, mark) => ({ seconds: mark, input: "x".repeat(300_000) })],
  [4, "close_output", () => ({ seconds: 0.05 })],
  [3, "elsewhere", () => ({})],
  [3, "no_such_tool", () => ({})],
  [3, "say", () => ({})],
];

const totalWeight = calls.reduce((sum, [weight]) => sum + weight, 0);

/** Requests that are wrong in one way or another, and are answered under their id. */
const wrong: readonly Pick<SoakRequest, "method" | "params">[] = [
  { method: "no/such", params: {} },
  { method: "tools/call", params: {} },
  { method: "tools/call", params: { name: "no_such" } },
  { method: "tools/call", params: { name: "climax_call", arguments: "text" } },
  { method: "tools/call", params: { name: "climax_search", arguments: { limit: -1 } } },
];

/** Lines that are no request; each is answered without an id. */
const malformed = [
  ...[`{"jsonrpc":"2.0","id":1,`, "no JSON", "[]", "17", `{"id":{},"method":"ping"}`, `\u0000`],
];

/** The next request, or a line that is none. `mark` tells the programs of this soak from others. */
export function randomRequest(random: Random, mark: string): SoakRequest | string {
  const kind = random();
  if (kind < 0.03) return pick(random, malformed);
  if (kind < 0.06) return pick(random, wrong);
  if (kind < 0.11) {
    const query = pick(random, ["fork", "signal", "nothing like it", ""]);
    return { method: "tools/call", params: { name: "climax_search", arguments: { query } } };
  }
  const [tool_name, args] = randomCall(random, mark);
  const isLong = tool_name === "fork_tree_for_long";
  const cancelled = isLong || random() < 0.12;
  return {
    method: "tools/call",
    params: { name: "climax_call", arguments: { tool_name, args } },
    wantsProgress: random() < 0.5,
    ...(cancelled && { cancelAfterMs: Math.floor(random() * 400) }),
  };
}

function randomCall(random: Random, mark: string): [string, Readonly<Record<string, unknown>>] {
  let point = random() * totalWeight;
  const [, tool, args] = calls.find(([weight]) => (point -= weight) < 0) ?? calls[0]!;
  return [tool, args(random, mark)];
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

/** A repeatable sequence (mulberry32, Tommy Ettinger, public domain). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
