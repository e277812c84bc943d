/**
 * Where programs run: on this machine, each in a container or a pod of its own that is removed when
 * the program ends, or on a machine that OpenSSH reaches.
 */

import posix from "node:path/posix";
import { type DockerExecutor, inContainer } from "./docker.ts";
import type { Token } from "./invocation.ts";
import { inPod, type KubernetesExecutor } from "./kubernetes.ts";
import type { RemoteCommandLine, RemoteCommandOptions } from "./remote_command.ts";
import { overSsh, type SshExecutor } from "./ssh.ts";
import { workingDirectory } from "./working_directory.ts";

/** How a session runs programs. */
export type Executor = { readonly kind: "local" } | RemoteExecutor;

/** One whose programs do not see the files of this machine. */
export type RemoteExecutor = DockerExecutor | SshExecutor | KubernetesExecutor;

/** The program that carries out the runs of `executor`. */
export function clientOf({ kind }: RemoteExecutor): "docker" | "ssh" | "kubectl" {
  return kind === "kubernetes" ? "kubectl" : kind;
}

/** `argv` as `executor` has it run. */
export function wrapCommand(
  argv: readonly Token[],
  executor: RemoteExecutor,
  options: RemoteCommandOptions,
): RemoteCommandLine {
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
