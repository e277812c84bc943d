/** Resolves the executor of a policy. */

import type { Finding } from "../files/finding.ts";
import type { Executor } from "../exec/executor.ts";
import { expandFor } from "../files/expand.ts";
import { resolveSandbox, sandboxKeys, type SandboxReading, sandboxThereHint } from "./sandbox.ts";
import type { ExecutorFile } from "./schema.ts";

type Key = Exclude<keyof ExecutorFile, "type">;

/** The keys of each type. */
const keysOf: Readonly<Record<ExecutorFile["type"], readonly Key[]>> = {
  local: [],
  sandbox: ["write", "read", "hide", "network", "env"],
  docker: ["image", "volumes", "working_dir", "network"],
  kubernetes: ["image", "namespace", "context", "service_account", "limits", "working_dir"],
  ssh: ["host", "port", "identity", "config", "working_dir"],
};

/** The key that each type needs. */
const neededBy: Readonly<Partial<Record<ExecutorFile["type"], Key>>> = {
  docker: "image",
  kubernetes: "image",
  ssh: "host",
};

export async function resolveExecutor(
  written: ExecutorFile,
  reading: SandboxReading,
): Promise<Executor> {
  const { environment, problems } = reading;
  const path = ["executor"];
  checkKeys(written, path, problems);
  const expand = (text: string, ...at: string[]) => {
    return expandFor(text, [...path, ...at], environment, problems);
  };
  const { image = "", host = "", working_dir, network, namespace, context } = written;
  const where = working_dir ? { workingDir: working_dir } : {};
  switch (written.type) {
    case "local":
      return { kind: "local" };
    case "sandbox": {
      const keys = sandboxKeys(written);
      if (network !== undefined && keys.network === undefined) {
        const message = `'network' is '${network}': expected none or host`;
        problems.push({ path: [...path, "network"], message });
      }
      return { kind: "local", sandbox: await resolveSandbox(keys, path, reading) };
    }
    case "docker":
      return {
        kind: "docker",
        image,
        volumes: (written.volumes ?? []).map((volume, index) => {
          return expand(volume, "volumes", String(index));
        }),
        ...where,
        ...(network ? { network } : {}),
      };
    case "kubernetes":
      return {
        kind: "kubernetes",
        image,
        ...(namespace ? { namespace } : {}),
        ...(context ? { context } : {}),
        ...(written.service_account ? { serviceAccount: written.service_account } : {}),
        limits: Object.fromEntries(
          Object.entries(written.limits ?? {}).map(([name, limit]) => [name, String(limit)]),
        ),
        ...where,
      };
    case "ssh": {
      return {
        kind: "ssh",
        host,
        ...(written.port === undefined ? {} : { port: written.port }),
        ...(written.identity ? { identity: expand(written.identity, "identity") } : {}),
        ...(written.config ? { config: expand(written.config, "config") } : {}),
        ...where,
      };
    }
  }
}

function checkKeys(written: ExecutorFile, path: string[], problems: Finding[]): void {
  const { type, ...rest } = written;
  const known = keysOf[type];
  for (const [key, value] of Object.entries(rest) as [Key, unknown][]) {
    if (value === undefined) continue;
    const at = [...path, key];
    if (!known.includes(key)) {
      const message = `'${key}' has no meaning for 'type: ${type}'`;
      const isThere = key === "sandbox" && type === "ssh";
      problems.push({ path: at, message, ...(isThere ? { hint: sandboxThereHint } : {}) });
    } else if (value === "" && key !== neededBy[type]) {
      // The client would silently use its default
      problems.push({ path: at, message: `'${key}' is empty; leave it out` });
    } else if (typeof value === "string" && value.startsWith("-")) {
      // The client would read it as an option
      problems.push({ path: at, message: `'${key}' begins with '-'` });
    }
  }
  const needed = neededBy[type];
  if (needed === undefined || written[needed]) return;
  const article = /^[aeiou]/.test(needed) ? "an" : "a";
  problems.push({ path, message: `'type: ${type}' needs ${article} '${needed}'` });
}
