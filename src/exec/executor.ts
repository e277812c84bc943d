/**
 * Where programs run: on this machine, or each in a container of its own that is removed when the
 * program ends.
 */

import { isAbsolute, join } from "node:path/posix";
import type { Invocation } from "./invocation.ts";

/** How a session runs programs. */
export type Executor = { readonly kind: "local" } | DockerExecutor;

/** `docker run` with these settings. */
export interface DockerExecutor {
  readonly kind: "docker";
  readonly image: string;
  /** `SOURCE:TARGET[:OPTIONS]` each, variables expanded. */
  readonly volumes: readonly string[];
  /** Directory in the container. */
  readonly workingDir?: string;
  readonly network?: string;
}

/** What of an invocation is decided by the tool rather than by its arguments. */
export interface ContainerOptions {
  /** Names of the variables that the container gets, values from the environment. */
  readonly variables: readonly string[];
  /** Directory an argument asked for; a relative one is seen from the executor's. */
  readonly cwd?: string;
}

/**
 * `invocation` inside a container: `docker run --rm`, then `-v`, `--network` and `-w` as the
 * contract has them, the image and the command line. Values of variables go through the environment
 * of the docker client, never over its command line.
 */
export function inContainer(
  invocation: Invocation,
  executor: DockerExecutor,
  { variables, cwd }: ContainerOptions,
): Invocation {
  const container = `climax-${crypto.randomUUID()}`;
  const directory = directoryOf(executor.workingDir, cwd);
  const { cwd: _, ...rest } = invocation;
  return {
    ...rest,
    container,
    argv: [
      "docker",
      "run",
      "--rm",
      ...(invocation.stdin === undefined ? [] : ["-i"]),
      "--name",
      container,
      ...variables.flatMap((name) => ["-e", name]),
      ...executor.volumes.flatMap((volume) => ["-v", volume]),
      ...(executor.network === undefined ? [] : ["--network", executor.network]),
      ...(directory === undefined ? [] : ["-w", directory]),
      executor.image,
      ...invocation.argv,
    ],
  };
}

function directoryOf(configured: string | undefined, asked: string | undefined) {
  if (asked === undefined || asked === "") return configured;
  return configured === undefined || isAbsolute(asked) ? asked : join(configured, asked);
}
