/**
 * Tries `sandbox-exec` before the first program gets a sandbox: a version of macOS that reads the profile in another way
 * must not hold less in silence.
 */

import { join } from "node:path";
import { ask } from "./_ask.ts";
import { seatbeltWords } from "./_seatbelt.ts";
import type { Support } from "./_sandbox_support.ts";
import { TemporaryFolder } from "./_temporary_folder.ts";

/** The program of macOS. */
export const sandboxExec = "/usr/bin/sandbox-exec";

/**
 * Prints what gets through, one word each, and `done`; `$1` may be written, `$2` may not be seen, and `$3` is a process
 * outside. The profile protects `.git` in `$1`.
 */
const moves = `PATH=/usr/bin:/bin
(echo kept >"$1/new" && [ "$(cat "$1/new")" = kept ]) 2>/dev/null || echo work
(: >"$2/new") 2>/dev/null && echo write
(cat <"$2/secret") >/dev/null 2>&1 && echo read
mkdir "$1/.GIT" 2>/dev/null && echo protect
(cd "$1/.." && mv kept moved) 2>/dev/null && echo move
kill -0 "$3" 2>/dev/null && echo signal
/bin/bash -c ': </dev/tcp/127.0.0.1/9' 2>&1 | grep -q 'not permitted' || echo network
ls /dev/fd 2>/dev/null | sed 's/^/fd /'
echo done`;

const meanings: ReadonlyMap<string, string> = new Map([
  ["work", "a program cannot write where it may"],
  ["write", "it may be written outside"],
  ["read", "what is hidden can be read"],
  ["protect", "a protected name can be created"],
  ["move", "a folder that may be written can be moved"],
  ["signal", "other processes get signals"],
  ["network", "the network can be reached"],
]);

const remedy = "Use 'type: docker' or 'type: ssh'";

export async function examineSeatbelt(program = sandboxExec): Promise<Support> {
  const temporary = new TemporaryFolder();
  try {
    return await tryIn(temporary.path, program);
  } finally {
    temporary.remove();
  }
}

/** What `program` holds of a hostile shell in `folder`, which is empty. */
async function tryIn(folder: string, program: string): Promise<Support> {
  const [kept, hidden] = [join(folder, "kept"), join(folder, "hidden")];
  for (const each of [kept, hidden]) await Deno.mkdir(each);
  await Deno.writeTextFile(join(hidden, "secret"), "secret");
  const directory = { isDirectory: true } as const;
  const words = seatbeltWords({
    seen: [
      { path: "/", access: "read", ...directory },
      { path: kept, access: "write", ...directory },
      { path: hidden, access: "hidden", ...directory },
    ],
    open: [{ path: join(kept, ".git"), isPinned: true }],
    network: "none",
    temporary: kept,
  });
  const script = ["/bin/sh", "-c", moves, "sh", kept, hidden, String(Deno.pid)];
  const said = await ask(program, [...words, ...script]);
  const lines = said.stdout.split("\n");
  const fail = (reason: string): Support => ({ ok: false, reason, hint: remedy });
  if (!said.ok || lines.at(-1) !== "done") return fail(`${program}: ${said.complaint}`);
  const broken = lines.flatMap((line) => meanings.get(line) ?? []);
  if (broken.length > 0) return fail(`${program} does not hold: ${broken.join(", ")}`);
  const descriptors = lines.flatMap((line) =>
    line.startsWith("fd ") ? [Number(line.slice(3))] : []
  );
  const inherited = descriptors.filter((each) => each > 3);
  if (inherited.length > 0) {
    const all = inherited.join(", ");
    return fail(`climax was started with open descriptors (${all}), which programs inherit`);
  }
  return { ok: true, kind: "seatbelt", name: "sandbox-exec", start: [program] };
}
