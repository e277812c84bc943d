/** Runs programs over OpenSSH: each call in its own connection, on a machine with a known host key. */

import type { Token } from "./invocation.ts";
import {
  endingScript,
  inputOf,
  type RemoteCommandLine,
  type RemoteCommandOptions,
  remoteInput,
} from "./remote_command.ts";

export interface SshExecutor {
  readonly kind: "ssh";
  /** `HOST` or `USER@HOST`. */
  readonly host: string;
  readonly port?: number;
  readonly identity?: string;
  /** Path of an OpenSSH configuration. */
  readonly config?: string;
  /** Directory on that machine. */
  readonly workingDir?: string;
}

/** Variable with the id of the run, which all its processes inherit. */
const marker = "CLIMAX_RUN";

/** Options of ssh: no prompts, no forwarding, no new host keys. */
const settings = [
  "BatchMode=yes",
  "StrictHostKeyChecking=yes",
  "ClearAllForwardings=yes",
  "ForwardAgent=no",
  "ForwardX11=no",
  "PermitLocalCommand=no",
  "RequestTTY=no",
  "ConnectTimeout=10",
  "ServerAliveInterval=15",
  "LogLevel=ERROR",
];

export function overSsh(
  argv: readonly Token[],
  executor: SshExecutor,
  { env, cwd, stdin, id }: RemoteCommandOptions,
): RemoteCommandLine {
  const words = sshWords(executor);
  const remote = remoteInput({
    argv: argv.map(({ text }) => text),
    env: { ...env, [marker]: id },
    cwd: cwd?.text,
    stdin,
  });
  const ending = inputOf(endingScript(`${marker}=${id}`));
  return {
    argv: ["ssh", ...words, commandOf(remote.loader)],
    shown: ["ssh", ...words, ...argv.map(({ shown }) => shown)],
    stdin: remote.stdin,
    cleanup: {
      what: `The program of run ${id} on ${executor.host}`,
      argv: ["ssh", ...words, commandOf(ending.loader)],
      stdin: ending.stdin,
      when: "ended early",
    },
  };
}

/** The words in front of the command. */
export function sshWords({ host, port, identity, config }: SshExecutor): string[] {
  return [
    "-T",
    ...settings.flatMap((setting) => ["-o", setting]),
    ...(config === undefined ? [] : ["-F", config]),
    ...(port === undefined ? [] : ["-p", String(port)]),
    ...(identity === undefined ? [] : ["-o", "IdentitiesOnly=yes", "-i", identity]),
    "--",
    host,
  ];
}

/** The shell of the account may be any. */
function commandOf(loader: string): string {
  return `sh -c '${loader}'`;
}
