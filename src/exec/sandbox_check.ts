/** Checks that this machine can hold programs in a sandbox, before the first of them runs. */

import type { Problem } from "../errors.ts";
import { examineBubblewrap } from "./_bubblewrap.ts";
import { SandboxError } from "./_found_paths.ts";
import { noSupport, type Sandbox, type Support } from "./sandbox_view.ts";

type Network = Sandbox["network"];

const remote = "Use 'type: docker'";

const known = new Map<Network, Promise<Support>>();

/** Tries a sandbox with or without a network, once in a process. After a failure, the next call tries again. */
export async function sandboxSupport(network: Network): Promise<Support> {
  const support = known.getOrInsertComputed(network, examine);
  const { ok } = await support;
  if (!ok) known.delete(network);
  return await support;
}

export async function sandboxProblem(
  sandboxes: readonly Pick<Sandbox, "network">[],
): Promise<Problem | undefined> {
  for (const network of new Set(sandboxes.map(({ network }) => network))) {
    const support = await sandboxSupport(network);
    if (!support.ok) return support.problem;
  }
  return undefined;
}

async function examine(network: Network): Promise<Support> {
  const system = Deno.build.os;
  try {
    switch (system) {
      case "linux":
        return await examineBubblewrap(network);
      case "darwin": {
        const { examineSeatbelt } = await import("./_seatbelt.ts");
        return await examineSeatbelt();
      }
      default:
        return noSupport(
          `it takes Linux or macOS, and this is ${system}`,
          `${remote}, or run climax in WSL`,
        );
    }
  } catch (error) {
    if (error instanceof SandboxError) return noSupport(error.message, remote);
    throw error;
  }
}
