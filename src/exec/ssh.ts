/** Runs over OpenSSH: each call a connection of its own, on a machine whose key is known. */

import type { Token } from "./invocation.ts";
import type { RemoteCommandLine, RemoteCommandOptions } from "./remote_command.ts";
import { endingScript, inputOf, remoteInput } from "./remote_script.ts";

/** `ssh` with these settings. */
export interface SshExecutor {
  readonly kind: "ssh";
  /** `HOST` or `USER@HOST`. */
  readonly host: string;
  readonly port?: number;
  /** Path of the key. */
  readonly identity?: string;
  /** Path of a configuration of OpenSSH's. */
  readonly config?: string;
  /** Directory on that machine. */
  readonly workingDir?: string;
}

/** Names the run in the environment of whatever it starts. */
const marker = "CLIMAX_RUN";

/** Options of ssh: no questions, no forwarding, no new host keys. */
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

/** `argv` on the machine that `executor` names. */
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
  const ending = inputOf(endingScript(marker, id));
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

/** The words before the command. */
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

/** For the shell of the account, whichever it is. */
function commandOf(loader: string): string {
  return `sh -c '${loader}'`;
}
