/**
 * Selects where programs run: on this machine, in a sandbox or not, each in a container or a pod that is removed at its
 * end, or on a machine that OpenSSH reaches.
 */

import posix from "node:path/posix";
import { isAbsolute, join, normalize } from "node:path";
import { type DockerExecutor, inContainer } from "./docker.ts";
import type { Token } from "./invocation.ts";
import { inPod, type KubernetesExecutor } from "./kubernetes.ts";
import type { RemoteCommandLine, RemoteCommandOptions } from "./remote_command.ts";
import { overSsh, type SshExecutor } from "./ssh.ts";
import type { Sandbox } from "./sandbox_view.ts";

export type Executor = LocalExecutor | RemoteExecutor;

/** Programs run on this machine, and see its files. */
interface LocalExecutor {
  readonly kind: "local";
  /** Holds every program; absent: those of `sandboxes` only. */
  readonly sandbox?: Sandbox;
  /** Sandboxes of single tools, by name. */
  readonly sandboxes?: ReadonlyMap<string, Sandbox>;
}

/** The sandbox of the tool `name`, if there is one. */
export function sandboxOf(executor: Executor, name: string): Sandbox | undefined {
  if (executor.kind !== "local") return undefined;
  return executor.sandboxes?.get(name) ?? executor.sandbox;
}

/** All sandboxes of this machine that are used. */
export function sandboxesOf(executor: Executor): readonly Sandbox[] {
  if (executor.kind !== "local") return [];
  const { sandbox, sandboxes } = executor;
  return [...(sandbox === undefined ? [] : [sandbox]), ...sandboxes?.values() ?? []];
}

/** Programs do not see the files of this machine. */
export type RemoteExecutor = DockerExecutor | SshExecutor | KubernetesExecutor;

/** The client program of `executor`. */
export function clientOf({ kind }: RemoteExecutor): "docker" | "ssh" | "kubectl" {
  return kind === "kubernetes" ? "kubectl" : kind;
}

/** The command line of the client that runs `argv`. */
export function wrapCommand(
  argv: readonly Token[],
  executor: RemoteExecutor,
  options: RemoteCommandOptions,
): RemoteCommandLine {
  const directory = options.cwd;
  const text = workingDirectory(executor.workingDir, directory?.text, posix);
  const shown = workingDirectory(executor.workingDir, directory?.shown, posix);
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

/** The path rules of the system that runs the program. */
interface PathRules {
  isAbsolute(path: string): boolean;
  join(...paths: string[]): string;
  normalize(path: string): string;
}

/**
 * The directory `directory` of an argument, relative to `configured`; without one, `configured`. It has no `..` after a name,
 * so that the policy and the system read it alike.
 */
export function workingDirectory(
  configured: string | undefined,
  directory: string | undefined,
  rules: PathRules = { isAbsolute, join, normalize },
): string | undefined {
  if (directory === undefined || directory === "") return configured;
  return configured === undefined || rules.isAbsolute(directory)
    ? rules.normalize(directory)
    : rules.join(configured, directory);
}
