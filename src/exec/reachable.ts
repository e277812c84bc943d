/** Checks that an executor answers, before the first call. */

import { messageOf } from "../errors.ts";
import { childOptions } from "../io.ts";
import type { RemoteExecutor } from "./executor.ts";
import { plain } from "./invocation.ts";
import { overSsh, type SshExecutor, sshWords } from "./ssh.ts";

/** Timeout in milliseconds. */
const limitMs = 15_000;

export type Reached = { readonly note: string } | { readonly reason: string };

export async function reach(executor: RemoteExecutor): Promise<Reached> {
  switch (executor.kind) {
    case "docker": {
      const said = await ask("docker", ["version", "--format", "{{.Server.Version}}"]);
      return said.ok ? { note: `docker: answers, version ${said.text}` } : refusal("docker", said);
    }
    case "ssh": {
      const said = await ask("ssh", [...sshWords(executor), "exit"]);
      if (!said.ok) return refusal(executor.host, said);
      const reason = await refusalThere(executor);
      return reason === undefined ? { note: `ssh: ${executor.host} answers` } : { reason };
    }
    case "kubernetes": {
      const { context, namespace } = executor;
      const said = await ask("kubectl", [
        ...(context === undefined ? [] : [`--context=${context}`]),
        ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
        ...["auth", "can-i", "create", "pods"],
      ]);
      return said.ok ? { note: "kubectl: may create pods" } : refusal("kubectl", said);
    }
  }
}

/** The reason why programs cannot be held on that machine; nothing if they can, or if it does not answer. */
export async function refusalThere(executor: SshExecutor): Promise<string | undefined> {
  const all = [executor.sandbox, ...executor.sandboxes?.values() ?? []]
    .filter((each) => each !== undefined);
  const [first] = all;
  if (first === undefined) return undefined;
  const network = all.some((each) => each.network === "none") ? "none" : "host";
  const sandbox = { ...first, write: [], read: ["/"], hide: [], network } as const;
  const { argv: [program, ...args], stdin = "" } = overSsh([plain("true")], executor, {
    id: crypto.randomUUID(),
    env: {},
    timeoutMs: limitMs,
    sandbox,
  });
  const said = await ask(program, args, stdin);
  if (said.ok || said.code === undefined || said.code === unreachable) return undefined;
  return `${executor.host}: ${said.text}`;
}

/** The exit code of ssh itself. */
const unreachable = 255;

interface Said {
  /** Absent: it did not start, or not end in time. */
  readonly code?: number;
  readonly ok: boolean;
  readonly text: string;
}

function refusal(who: string, { text }: Said): Reached {
  return { reason: `${who} does not answer: ${text}` };
}

async function ask(program: string, args: readonly string[], input?: string): Promise<Said> {
  try {
    const signal = AbortSignal.timeout(limitMs);
    const command = new Deno.Command(program, {
      args: [...args],
      ...childOptions({}),
      stdin: input === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
      signal,
    });
    const child = command.spawn();
    if (input !== undefined) {
      const writer = child.stdin.getWriter();
      // It may have ended before it has read
      void writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {});
    }
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    const [out, complaint] = [stdout, stderr].map((bytes) => decoder.decode(bytes).trim());
    return code === 0
      ? { ok: true, code, text: out! }
      : { ok: false, code, text: complaint || out! };
  } catch (error) {
    return { ok: false, text: messageOf(error) };
  }
}
