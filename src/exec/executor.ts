/**
 * Where programs run: on this machine, each in a container or a pod of its own that is removed when
 * the program ends, or on a machine that OpenSSH reaches.
 */

import posix from "node:path/posix";
import type { Cleanup } from "./cleanup.ts";
import { plain, type Token } from "./invocation.ts";
import { inPod, type KubernetesExecutor } from "./kubernetes.ts";
import { overSsh, type SshExecutor } from "./ssh.ts";
import { workingDirectory } from "./working_directory.ts";

/** How a session runs programs. */
export type Executor = { readonly kind: "local" } | ElsewhereExecutor;

/** One whose programs do not see the files of this machine. */
export type ElsewhereExecutor = DockerExecutor | SshExecutor | KubernetesExecutor;

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

/** What of a run elsewhere is decided by the tool rather than by the executor. */
export interface CarriedOptions {
  /** Names the run; unique. */
  readonly id: string;
  /** The variables that the program gets. */
  readonly env: Readonly<Record<string, string>>;
  /** The directory an argument asked for; a relative one is seen from the executor's. */
  readonly cwd?: Token | undefined;
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
}

/** The run of a client that has a program run elsewhere. */
export interface Carried {
  readonly argv: readonly [string, ...string[]];
  /** The same for logs: the client's words, and the program's with `***` for secret values. */
  readonly shown: readonly string[];
  /** The standard input of the client. */
  readonly stdin?: string;
  /** Variables of the client, in addition to those it inherits. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cleanup: Cleanup;
}

/** The program that carries out the runs of `executor`. */
export function clientOf({ kind }: ElsewhereExecutor): "docker" | "ssh" | "kubectl" {
  return kind === "kubernetes" ? "kubectl" : kind;
}

/** `argv` as `executor` has it run. */
export function carried(
  argv: readonly Token[],
  executor: ElsewhereExecutor,
  options: CarriedOptions,
): Carried {
  const asked = options.cwd;
  const text = workingDirectory(executor.workingDir, asked?.text, posix);
  const shown = workingDirectory(executor.workingDir, asked?.shown, posix);
  const cwd = text === undefined ? undefined : { text, shown: shown ?? text };
  switch (executor.kind) {
    case "docker":
      return inContainer(argv, executor, { ...options, cwd });
    case "ssh":
      return overSsh(argv, executor, { ...options, cwd });
    case "kubernetes":
      return inPod(argv, executor, { ...options, cwd });
  }
}

/**
 * The command line that runs `argv` inside a container: `docker run --rm`, then `-v`, `--network` and
 * `-w` as the contract has them, the image and the command line. Values of variables go through the
 * environment of the docker client, never over its command line.
 */
function inContainer(
  argv: readonly Token[],
  executor: DockerExecutor,
  { id, env, cwd, stdin }: CarriedOptions,
): Carried {
  const name = `climax-${id}`;
  const words = [
    "run",
    "--rm",
    ...(stdin === undefined ? [] : ["-i"]),
    "--name",
    name,
    ...Object.keys(env).flatMap((variable) => ["-e", variable]),
    ...executor.volumes.flatMap((volume) => ["-v", volume]),
    ...(executor.network === undefined ? [] : ["--network", executor.network]),
  ];
  const tokens = [
    ...["docker", ...words].map(plain),
    ...(cwd === undefined ? [] : [plain("-w"), cwd]),
    plain(executor.image),
    ...argv,
  ];
  const [, ...texts] = tokens.map(({ text }) => text);
  return {
    argv: ["docker", ...texts],
    shown: tokens.map(({ shown }) => shown),
    ...(stdin === undefined ? {} : { stdin }),
    env,
    cleanup: {
      what: `container ${name}`,
      argv: ["docker", "rm", "--force", name],
      when: "ended early",
    },
  };
}
