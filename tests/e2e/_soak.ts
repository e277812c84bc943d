/**
 * Thousands of calls of programs at their worst, mixed with cancellations, timeouts and malformed
 * requests, against one server: at the end nothing is left of them.
 *
 * `deno task bench soak` runs it for some minutes; the tests run it for some seconds. The same seed
 * sends the same requests in the same order.
 */

import { spawnMess } from "./_mess.ts";
import { childrenOf, openFilesOf, residentKib, runningWith } from "./_processes.ts";
import { fixture } from "./_server.ts";
import { deadlineMs } from "../_wait.ts";
import { type Accounts, SoakClient } from "./_soak_client.ts";
import { type Random, randomRequest, seeded, type SoakRequest } from "./_soak_requests.ts";

/** The size of a soak. */
export interface SoakSettings {
  readonly calls: number;
  /** Most seconds in which requests are sent. @default Infinity */
  readonly seconds?: number;
  /** Calls after which memory is measured for the first time. */
  readonly firstCalls: number;
  /**
   * Seconds without calls before memory is measured. V8 lets garbage lie while it works and collects
   * it after some twenty seconds of rest; without one, memory is the highest of the first part.
   */
  readonly restSeconds: number;
  readonly seed: number;
}

/** The memory, files and processes of the server. */
export interface Resources {
  readonly descriptors: number;
  readonly children: number;
  readonly zombies: number;
  readonly residentKib: number;
}

/** The figures of a soak. */
export interface SoakReport {
  readonly seed: number;
  readonly seconds: number;
  readonly accounts: Accounts;
  readonly start: Resources;
  readonly afterFirst: Resources;
  readonly end: Resources;
  /** Processes that calls started and that still run. */
  readonly leftBehind: number;
  readonly exitCode: number;
}

/** The most that memory grows after the first part. */
const maxGrowth = 1.2;

/** Requests that are under way at the same time. */
const inFlight = 48;

const say: SoakRequest = {
  method: "tools/call",
  params: { name: "climax_call", arguments: { tool_name: "say", args: { text: "hello" } } },
};

/** Sends the requests, waits for everything to settle, and counts. */
export async function soak(settings: SoakSettings): Promise<SoakReport> {
  const { calls, seconds = Infinity, firstCalls, restSeconds, seed } = settings;
  const random = seeded(seed);
  // How long the programs sleep: so long that none ends by itself, and told from all others by it
  const mark = `600.${Deno.pid}${seed}`;
  const server = spawnMess({
    config: fixture("soak.yaml"),
    args: ["--kill-timeout", "0.2", "--concurrency", "24", "--log-level", "error"],
    env: { MESS_SLEEP: mark },
  });
  const log = new Response(server.stderr).text();
  const client = new SoakClient(server);
  await greet(client);
  await (await client.request(say)).done;

  const began = performance.now();
  const start = resourcesOf(server.pid);
  const elapsed = () => (performance.now() - began) / 1000;
  let sent = 0;
  const sendUntil = async (count: number): Promise<void> => {
    const lanes = Array.from({ length: inFlight }, async () => {
      while (sent < count && elapsed() < seconds) {
        sent++;
        await sendOne(client, random, mark);
      }
    });
    await Promise.all(lanes);
  };
  const highest = watchMemory(server.pid);
  await sendUntil(Math.min(firstCalls, calls));
  const firstHighest = highest();
  const lowest = await rest(server.pid, restSeconds);
  const first = restSeconds > 0 ? lowest : firstHighest;
  const afterFirst = { ...resourcesOf(server.pid), residentKib: first };
  await sendUntil(calls);
  const last = await rest(server.pid, restSeconds);
  const atEnd = await settled(server.pid, start, afterFirst);
  const end = { ...atEnd, residentKib: Math.min(last, atEnd.residentKib) };
  const took = elapsed();
  const leftBehind = runningWith(mark).length;
  await client.close();
  const { code } = await server.status;
  const text = await log;
  if (text !== "") await Deno.stderr.write(new TextEncoder().encode(text));
  const accounts = client.accounts();
  return { seed, seconds: took, accounts, start, afterFirst, end, leftBehind, exitCode: code };
}

/** Returns the failures in a report; empty when there is none. */
export function failuresOf(report: SoakReport): string[] {
  const { accounts, start, afterFirst, end } = report;
  const growth = end.residentKib / afterFirst.residentKib;
  return [
    [accounts.unanswered === 0, `${accounts.unanswered} requests were not answered`],
    [accounts.surplus === 0, `${accounts.surplus} answers too many`],
    [accounts.nameless === accounts.namelessAnswers, "malformed requests and their errors differ"],
    [accounts.lateProgress === 0, `${accounts.lateProgress} reports of progress after the answer`],
    [end.descriptors <= start.descriptors, "descriptors are left open"],
    [end.children === start.children, "children are left"],
    [end.zombies === start.zombies, "zombies are left"],
    [report.leftBehind === 0, `${report.leftBehind} processes are left behind`],
    [growth <= maxGrowth, `memory grew by ${Math.round((growth - 1) * 100)} %`],
    [report.exitCode === 0, `exit code ${report.exitCode}`],
  ].filter(([holds]) => !holds).map(([, text]) => String(text));
}

/** The figures as lines of text. */
export function describe({ seed, seconds, accounts, ...report }: SoakReport): string {
  const { requests, cancelled, nameless, namelessAnswers, progress } = accounts;
  const row = (name: string, { descriptors, children, zombies, residentKib }: Resources) => {
    const memory = (residentKib / 1024).toFixed(1);
    return `${name}: ${descriptors} descriptors, ${children} children, ${zombies} zombies, ${memory} MiB`;
  };
  return [
    `seed ${seed}: ${requests} requests in ${seconds.toFixed(1)} s, ${cancelled} cancelled, ` +
    `${progress} reports of progress`,
    `not answered ${accounts.unanswered}, answered twice ${accounts.surplus}, ` +
    `malformed ${nameless} with ${namelessAnswers} errors`,
    row("start", report.start),
    row("after the first part", report.afterFirst),
    row("end", report.end),
    `processes left behind ${report.leftBehind}, exit code ${report.exitCode}`,
  ].join("\n");
}

async function greet(client: SoakClient): Promise<void> {
  const clientInfo = { name: "soak", version: "1.0.0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  await (await client.request({ method: "initialize", params })).done;
  await client.line(`{"jsonrpc":"2.0","method":"notifications/initialized"}`);
}

async function sendOne(client: SoakClient, random: Random, mark: string): Promise<void> {
  const request = randomRequest(random, mark);
  if (typeof request === "string") return await client.nameless(request);
  const { cancelAfterMs } = request;
  const { id, done } = await client.request(request);
  if (cancelAfterMs === undefined) return await done;
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([done, new Promise((resolve) => timer = setTimeout(resolve, cancelAfterMs))]);
  clearTimeout(timer);
  await client.cancel(id);
}

/** Waits without calls. @returns the least memory meanwhile, in KiB: one look at it may find garbage */
async function rest(pid: number, seconds: number): Promise<number> {
  let lowest = residentKib(pid);
  for (let left = seconds * 4; left > 0; left--) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    lowest = Math.min(lowest, residentKib(pid));
  }
  return lowest;
}

/** Samples memory until it is asked for the highest, in KiB. */
function watchMemory(pid: number): () => number {
  let highest = 0;
  const sample = () => highest = Math.max(highest, residentKib(pid));
  const timer = setInterval(sample, 250);
  return () => {
    clearInterval(timer);
    return sample();
  };
}

function resourcesOf(pid: number): Resources {
  const children = childrenOf(pid);
  return {
    descriptors: openFilesOf(pid),
    children: children.length,
    zombies: children.filter(({ state }) => state.startsWith("Z")).length,
    residentKib: residentKib(pid),
  };
}

/** The resources once they are what they may be, or when a test that waits for that has failed. */
async function settled(pid: number, start: Resources, first: Resources): Promise<Resources> {
  const deadline = performance.now() + deadlineMs();
  while (true) {
    const now = resourcesOf(pid);
    // V8 collects what a busy machine has left it no time for
    const isAtRest = now.descriptors <= start.descriptors && now.children === start.children &&
      now.residentKib <= maxGrowth * first.residentKib;
    if (isAtRest || performance.now() > deadline) return now;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
