/** Checks that an executor answers, before the first call. */

import { ask, type Said } from "./_ask.ts";
import { type RemoteExecutor, sshWords } from "./executor.ts";

type Reached = { readonly note: string } | { readonly reason: string };

export async function reach(executor: RemoteExecutor): Promise<Reached> {
  switch (executor.kind) {
    case "docker": {
      const said = await ask("docker", ["version", "--format", "{{.Server.Version}}"], ".");
      return said.ok
        ? { note: `docker: answers, version ${said.stdout}` }
        : refusal("docker", said);
    }
    case "ssh": {
      const said = await ask("ssh", [...sshWords(executor), "exit"], ".");
      return said.ok ? { note: `ssh: ${executor.host} answers` } : refusal(executor.host, said);
    }
    case "kubernetes": {
      const { context, namespace } = executor;
      const said = await ask("kubectl", [
        ...(context === undefined ? [] : [`--context=${context}`]),
        ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
        ...["auth", "can-i", "create", "pods"],
      ], ".");
      return said.ok ? { note: "kubectl: may create pods" } : refusal("kubectl", said);
    }
  }
}

function refusal(who: string, { complaint }: Said): Reached {
  return { reason: `${who} does not answer: ${complaint}` };
}
