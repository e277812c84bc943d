/** Sessions over configs that stand in the test itself. */

import { join } from "node:path";
import { call } from "../src/call/call.ts";
import type { CallOptions, CallRequest } from "../src/call/pipeline.ts";
import { openSession, type Session, type SessionOptions } from "../src/session/session.ts";
import { type CallResult, textOf } from "../src/tool/result.ts";
import type { NamedText } from "../src/text/named_text.ts";
import { scratch } from "./e2e/_scratch.ts";

/** A config as the YAML of a file would have it; what it does not say is filled in. */
export interface ConfigSketch {
  readonly command?: string;
  readonly tools: readonly object[];
  readonly [key: string]: unknown;
}

/** Opens a session over `config`, which goes through a file as any config does. */
export async function sessionOf(
  config: ConfigSketch,
  options: Omit<SessionOptions, "configs"> = {},
): Promise<Session> {
  await using dir = await scratch();
  const file = join(dir.path, "config.yaml");
  const whole = { name: "test", command: "", ...config };
  await Deno.writeTextFile(file, JSON.stringify(whole));
  return await openSession({ ...options, configs: [file] });
}

/** A policy that stands in the test itself: its text, or what it says. */
export function policyOf(policy: string | object): NamedText {
  return {
    file: "policy.yaml",
    text: typeof policy === "string" ? policy : JSON.stringify(policy),
  };
}

/** The policy `open`, as a text: no tool asks. */
export const openPolicy: NamedText = policyOf({ default: "enabled" });

/** A result as most tests look at it. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** The text of a result, and whether it is an error. */
export function answerOf(result: CallResult): Answer {
  return { text: textOf(result), isError: result.isError };
}

/** Makes a call and gives its text. */
export async function answerTo(
  session: Session,
  request: CallRequest,
  options?: CallOptions,
): Promise<Answer> {
  return answerOf(await call(session, request, options));
}

/** Calls the only tool of `config`. */
export async function callOnly(
  config: Omit<ConfigSketch, "tools"> & { readonly tool?: object },
  args?: unknown,
): Promise<Answer> {
  const { tool, ...rest } = config;
  const session = await sessionOf({ ...rest, tools: [{ name: "only", ...tool }] });
  return await answerTo(session, { tool: "only", args });
}

/** A tool that gives its argument to a shell as a script: a program of many behaviours. */
export const shellTool = {
  command: "sh -c",
  timeout: 3600,
  args: [{ name: "script", positional: true, required: true }],
} as const;

/** Calls a tool whose program is the shell `script`; `tool` is what else its definition says. */
export async function callShell(script: string, tool: object = {}): Promise<Answer> {
  return await callOnly({ tool: { ...shellTool, ...tool } }, { script });
}
