/** Selects where programs run: here, in a sandbox, in a container or a pod of each call, or over OpenSSH. */

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

/** True if calls of the tool `name` see only what a sandbox, a container or a pod leaves to them. */
export function holdsCalls(executor: Executor, name: string): boolean {
  return executor.kind === "docker" || executor.kind === "kubernetes" ||
    sandboxOf(executor, name) !== undefined;
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

interface PathRules {
  isAbsolute(path: string): boolean;
  join(...paths: string[]): string;
  normalize(path: string): string;
}

/** `directory` relative to `configured`; no `..` after a name, so that policy and system read it alike. */
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
