/**
 * Where programs run: on this machine, or each in a container of its own that is removed when the
 * program ends.
 */

import posix from "node:path/posix";
import { type CommandTokens, plain, type Token } from "./invocation.ts";
import { workingDirectory } from "./working_directory.ts";

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

/** What of a run in a container is decided by the tool rather than by the executor. */
export interface ContainerOptions {
  /** Unique, see {@linkcode containerName}. */
  readonly name: string;
  /** Names of the variables that the container gets, values from the environment. */
  readonly variables: readonly string[];
  /** Whether the program gets an input. */
  readonly hasInput?: boolean;
  /** Directory an argument asked for; a relative one is seen from the executor's. */
  readonly cwd?: Token;
}

/** A name for the container of one run. */
export function containerName(): string {
  return `climax-${crypto.randomUUID()}`;
}

/**
 * The command line that runs `argv` inside a container: `docker run --rm`, then `-v`, `--network` and
 * `-w` as the contract has them, the image and the command line. Values of variables go through the
 * environment of the docker client, never over its command line.
 */
export function inContainer(
  argv: readonly Token[],
  executor: DockerExecutor,
  { name, variables, hasInput = false, cwd }: ContainerOptions,
): CommandTokens {
  const text = workingDirectory(executor.workingDir, cwd?.text, posix);
  const shown = workingDirectory(executor.workingDir, cwd?.shown, posix);
  const words = [
    "run",
    "--rm",
    ...(hasInput ? ["-i"] : []),
    "--name",
    name,
    ...variables.flatMap((variable) => ["-e", variable]),
    ...executor.volumes.flatMap((volume) => ["-v", volume]),
    ...(executor.network === undefined ? [] : ["--network", executor.network]),
  ];
  return [
    plain("docker"),
    ...words.map(plain),
    ...(text === undefined ? [] : [plain("-w"), { text, shown: shown ?? text }]),
    plain(executor.image),
    ...argv,
  ];
}
