/**
 * Selects where programs run: on this machine, each in a container or a pod that is removed at its end, or on a machine
 * that OpenSSH reaches.
 */

import posix from "node:path/posix";
import { type DockerExecutor, inContainer } from "./docker.ts";
import type { Token } from "./invocation.ts";
import { inPod, type KubernetesExecutor } from "./kubernetes.ts";
import type { RemoteCommandLine, RemoteCommandOptions } from "./remote_command.ts";
import { overSsh, type SshExecutor } from "./ssh.ts";
import { workingDirectory } from "./working_directory.ts";

export type Executor = { readonly kind: "local" } | RemoteExecutor;

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
