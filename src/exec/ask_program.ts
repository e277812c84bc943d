/** Finds small programs of the system, and runs them for their output. */

import { Buffer } from "node:buffer";
import { messageOf } from "../errors.ts";
import { childOptions } from "../io.ts";
import { rootFolder } from "../process/folders.ts";
import { findProgram } from "./find_program.ts";
import { safePath } from "./search_path.ts";

const limitMs = 15_000;

export interface ProgramOutput {
  readonly ok: boolean;
  /** The exit code: `notFoundCode` if the program cannot be started, absent if it did not run to its end. */
  readonly code?: number;
  readonly stdout: string;
  /** Says why the program failed: its stderr, or its output if stderr is empty, or its exit code. */
  readonly complaint: string;
}

/** The exit code of shells for a missing program. */
export const notFoundCode = 127;

interface AskOptions {
  readonly stdin?: string | undefined;
  readonly clearEnv?: boolean;
  readonly limit?: number;
}

export async function ask(
  program: string,
  args: readonly string[],
  cwd: string | undefined = rootFolder,
  env: Readonly<Record<string, string>> = {},
  { stdin, clearEnv = false, limit = limitMs }: AskOptions = {},
): Promise<ProgramOutput> {
  try {
    const child = new Deno.Command(program, {
      args: [...args],
      ...childOptions({ cwd, env, clearEnv }),
      stdin: stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(limit),
    }).spawn();
    if (stdin !== undefined) void new Blob([stdin]).stream().pipeTo(child.stdin).catch(() => {});
    const [text, errors] = await Promise.all([child.stdout, child.stderr].map(readBounded));
    if (text === undefined || errors === undefined) {
      try {
        child.kill("SIGKILL");
      } catch {
        // `kill` throws if the program has ended already, which is no fault
      }
      await child.status;
      return { ok: false, stdout: "", complaint: `it printed more than ${maxBytes >> 20} MiB` };
    }
    const { code, signal } = await child.status;
    return {
      ok: code === 0,
      ...(signal === null ? { code } : {}),
      stdout: text.replace(/\r?\n$/, ""),
      complaint: errors.trim() || text.slice(0, 10_000).trim() || `exit code ${code}`,
    };
  } catch (error) {
    const { NotCapable, NotFound, PermissionDenied } = Deno.errors;
    const isNone = [NotCapable, NotFound, PermissionDenied].some((kind) => error instanceof kind);
    const code = isNone ? { code: notFoundCode } : {};
    return { ok: false, ...code, stdout: "", complaint: messageOf(error) };
  }
}

/** At most this many bytes of output are read: a repository can make git list the same tree millions of times. */
const maxBytes = 64 * 2 ** 20;

async function readBounded(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(chunks));
}

export async function locateProgram(
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const found = findProgram(name, { env });
  if (found !== undefined) return found;
  const { PATH } = env;
  // Deno may not read every folder of PATH, but a shell finds programs in all of them
  const script = PATH === undefined ? 'command -v -- "$0"' : 'PATH=$1; command -v -- "$0"';
  const answer = await ask("sh", ["-c", script, name, safePath(PATH ?? "")]);
  return answer.ok && answer.stdout.startsWith("/") ? answer.stdout : undefined;
}
