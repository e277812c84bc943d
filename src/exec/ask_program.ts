/** Finds small programs of the system, and runs them for what they say. */

import { messageOf } from "../errors.ts";
import { childOptions } from "../io.ts";
import { rootFolder } from "../process/folders.ts";
import { findProgram } from "./find_program.ts";
import { safePath } from "./search_path.ts";

const limitMs = 15_000;

export interface Said {
  readonly ok: boolean;
  readonly stdout: string;
  /** Its errors, or what it said instead. */
  readonly complaint: string;
}

export async function ask(
  program: string,
  args: readonly string[],
  cwd: string | undefined = rootFolder,
  env: Readonly<Record<string, string>> = {},
): Promise<Said> {
  try {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args: [...args],
      ...childOptions({ cwd, env }),
      stdin: "null",
      signal: AbortSignal.timeout(limitMs),
    }).output();
    const [text, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
    return {
      ok: code === 0,
      stdout: text!,
      complaint: errors! || text! || `exit code ${code}`,
    };
  } catch (error) {
    return { ok: false, stdout: "", complaint: messageOf(error) };
  }
}

/** The path of a program, also where this process may run it and not look at it. */
export async function locateProgram(
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const found = findProgram(name, { env });
  if (found !== undefined) return found;
  const { PATH } = env;
  const script = PATH === undefined ? 'command -v -- "$0"' : 'PATH=$1; command -v -- "$0"';
  const said = await ask("sh", ["-c", script, name, safePath(PATH ?? "")]);
  return said.ok && said.stdout.startsWith("/") ? said.stdout : undefined;
}
