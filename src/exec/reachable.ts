/** Checks that an executor answers, before the first call. */

import { messageOf } from "../errors.ts";
import { childOptions } from "../io.ts";
import type { RemoteExecutor } from "./executor.ts";
import { sshWords } from "./ssh.ts";

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
      return said.ok ? { note: `ssh: ${executor.host} answers` } : refusal(executor.host, said);
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

interface Said {
  readonly ok: boolean;
  readonly text: string;
}

function refusal(who: string, { text }: Said): Reached {
  return { reason: `${who} does not answer: ${text}` };
}

async function ask(program: string, args: readonly string[]): Promise<Said> {
  try {
    const signal = AbortSignal.timeout(limitMs);
    const command = new Deno.Command(program, {
      args: [...args],
      ...childOptions({}),
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      signal,
    });
    const { code, stdout, stderr } = await command.output();
    const decoder = new TextDecoder();
    const [out, complaint] = [stdout, stderr].map((bytes) => decoder.decode(bytes).trim());
    return code === 0 ? { ok: true, text: out! } : { ok: false, text: complaint || out! };
  } catch (error) {
    return { ok: false, text: messageOf(error) };
  }
}
