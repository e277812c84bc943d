/** Where the programs of a policy run. */

import type { Finding } from "../document/document.ts";
import type { Environment } from "../document/expand.ts";
import type { Executor } from "../exec/executor.ts";
import { expandFor } from "./_expand.ts";
import type { ExecutorFile } from "./schema.ts";

/** The executor as written → as runs use it. */
export function resolveExecutor(
  written: ExecutorFile,
  environment: Environment,
  problems: Finding[],
): Executor {
  const path = ["executor"];
  const { type, image, volumes, working_dir, network } = written;
  if (type === "local") {
    for (const key of ["image", "volumes", "working_dir", "network"] as const) {
      if (written[key] === undefined) continue;
      const message = `'${key}' has no meaning for 'type: local'`;
      problems.push({ path: [...path, key], message });
    }
    return { kind: "local" };
  }
  if (!image) problems.push({ path, message: "'type: docker' needs an 'image'" });
  // Docker would take its default without a word
  for (const key of ["working_dir", "network"] as const) {
    if (written[key] !== "") continue;
    problems.push({ path: [...path, key], message: `'${key}' is empty; leave it out` });
  }
  // Whatever begins with a dash here would be an option of docker
  for (const key of ["image", "working_dir", "network"] as const) {
    if (!written[key]?.startsWith("-")) continue;
    problems.push({ path: [...path, key], message: `'${key}' begins with '-'` });
  }
  return {
    kind: "docker",
    image: image ?? "",
    volumes: (volumes ?? []).map((volume, index) => {
      return expandFor(volume, [...path, "volumes", String(index)], environment, problems);
    }),
    ...(working_dir ? { workingDir: working_dir } : {}),
    ...(network ? { network } : {}),
  };
}
