/** Runs code in a VM as a test looks at it: what it asked for, what it logged, how it ended. */

import { type ScriptLimits, scriptLimits } from "../../../src/sources/scripts/limits.ts";
import {
  closeVms,
  runInVm,
  type VmOutcome,
  type VmRequest,
  type VmRun,
} from "../../../src/sources/scripts/vm.ts";

export interface VmView {
  readonly outcome: VmOutcome;
  /** The requests, their JSON read. */
  readonly requests: readonly { readonly kind: string; readonly value: unknown }[];
  readonly logged: readonly string[];
}

export interface VmTestOptions
  extends Partial<Pick<VmRun, "input" | "seed" | "now" | "signal" | "clock" | "onEnd">> {
  readonly limits?: Partial<ScriptLimits>;
  /** @default a text that names the request */
  readonly answer?: (
    request: VmRequest,
  ) => Promise<{ text: string; isError?: boolean; data?: string }>;
}

/** Runs `code`. */
export async function runVm(code: string, options: VmTestOptions = {}): Promise<VmView> {
  const { limits, answer = ({ text }) => Promise.resolve({ text: `answer to ${text}` }), ...rest } =
    options;
  const requests: VmView["requests"][number][] = [];
  const logged: string[] = [];
  const outcome = await runInVm({
    code,
    seed: 1,
    now: Date.UTC(2026, 0, 1),
    limits: { ...scriptLimits, ...limits },
    answer: async (request) => {
      requests.push({ kind: request.kind, value: JSON.parse(request.text) });
      return { isError: false, now: Date.UTC(2026, 0, 2), ...await answer(request) };
    },
    onLog: (line) => void logged.push(line),
    ...rest,
  });
  return { outcome, requests, logged };
}

/** What `code` returns; fails if it fails. */
export async function returnedBy(code: string, options?: VmTestOptions): Promise<unknown> {
  const { outcome } = await runVm(code, options);
  if ("failure" in outcome) throw new Error(`${outcome.failure}\n${outcome.stack}`);
  return JSON.parse(outcome.returned);
}

/** How `code` fails. */
export async function failureOf(code: string, options?: VmTestOptions): Promise<string> {
  const { outcome } = await runVm(code, options);
  if ("failure" in outcome) return outcome.failure;
  throw new Error(`It returned ${outcome.returned}`);
}

export { closeVms };
