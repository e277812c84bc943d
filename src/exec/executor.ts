/** Selects where programs run: here, in a sandbox, in a container or a pod of each call, or over OpenSSH. */

import posix from "node:path/posix";
import { isAbsolute, join, normalize, type PlatformPath } from "node:path";
import { plain, type Token } from "./invocation.ts";
import {
  endingScript,
  inputOf,
  type RemoteCommandLine,
  type RemoteCommandOptions,
  remoteInput,
} from "./remote_command.ts";
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

/** `directory` relative to `configured`; no `..` after a name, so that policy and system read it alike. */
export function workingDirectory(
  configured: string | undefined,
  directory: string | undefined,
  rules: Pick<PlatformPath, "isAbsolute" | "join" | "normalize"> = { isAbsolute, join, normalize },
): string | undefined {
  if (directory === undefined || directory === "") return configured;
  return configured === undefined || rules.isAbsolute(directory)
    ? rules.normalize(directory)
    : rules.join(configured, directory);
}

export interface DockerExecutor {
  readonly kind: "docker";
  readonly image: string;
  /** `SOURCE:TARGET[:OPTIONS]` each, with expanded variables. */
  readonly volumes: readonly string[];
  /** Directory in the container. */
  readonly workingDir?: string;
  readonly network?: string;
}

/** Runs `argv` by `docker run --rm`. Values of variables are in the client's environment, not on its command line. */
function inContainer(
  argv: readonly Token[],
  executor: DockerExecutor,
  { id, env, cwd, stdin }: RemoteCommandOptions,
): RemoteCommandLine {
  const name = `climax-${id}`;
  const words = [
    ...["run", "--rm"],
    ...(stdin === undefined ? [] : ["-i"]),
    ...["--name", name],
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

/** Each call in its own connection, to a machine with a known host key. */
interface SshExecutor {
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
  ...["BatchMode=yes", "StrictHostKeyChecking=yes", "ClearAllForwardings=yes"],
  ...["ForwardAgent=no", "ForwardX11=no", "PermitLocalCommand=no", "RequestTTY=no"],
  ...["ConnectTimeout=10", "ServerAliveInterval=15", "LogLevel=ERROR"],
];

function overSsh(
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

interface KubernetesExecutor {
  readonly kind: "kubernetes";
  /** Must have `sh` and `dd`. */
  readonly image: string;
  readonly namespace?: string;
  readonly context?: string;
  /** Absent: that of the namespace. The pod does not get its token. */
  readonly serviceAccount?: string;
  /** Resource limits of the pod, in the format of Kubernetes: `cpu: 500m`, `memory: 256Mi`. */
  readonly limits: Readonly<Record<string, string>>;
  /** Directory in the container. */
  readonly workingDir?: string;
}

const removal = ["delete", "pod", "--ignore-not-found", "--now", "--wait=false"];

/** Seconds to pull the image and to start, in addition to the timeout. */
const startSeconds = 120;

function inPod(
  argv: readonly Token[],
  executor: KubernetesExecutor,
  { env, cwd, stdin, id, timeoutMs }: RemoteCommandOptions,
): RemoteCommandLine {
  const name = `climax-${id}`;
  const where = [
    ...(executor.context === undefined ? [] : [`--context=${executor.context}`]),
    ...(executor.namespace === undefined ? [] : [`--namespace=${executor.namespace}`]),
  ];
  const words = [
    ...where,
    ...["run", name, `--image=${executor.image}`, "--restart=Never", "--stdin", "--quiet"],
    `--pod-running-timeout=${startSeconds}s`,
    "--labels=app.kubernetes.io/managed-by=climax,app.kubernetes.io/component=call",
    "--override-type=strategic",
    `--overrides=${JSON.stringify(overridesOf(name, executor, timeoutMs))}`,
    ...["--command", "--"],
  ];
  const remote = remoteInput({ argv: argv.map(({ text }) => text), env, cwd: cwd?.text, stdin });
  return {
    // The script waits until the client is attached, so that no output is lost
    argv: ["kubectl", ...words, "sh", "-c", remote.loader],
    shown: ["kubectl", ...words, ...argv.map(({ shown }) => shown)],
    stdin: remote.stdin,
    cleanup: {
      what: `Pod ${name}`,
      argv: ["kubectl", ...where, ...removal, name],
      when: "always",
    },
  };
}

/** Settings of the pod without an option of kubectl. */
function overridesOf(name: string, executor: KubernetesExecutor, timeoutMs: number): object {
  const { serviceAccount, limits } = executor;
  return {
    spec: {
      // Ends the pod even if climax cannot remove it
      activeDeadlineSeconds: Math.ceil(timeoutMs / 1000) + startSeconds,
      enableServiceLinks: false,
      ...(serviceAccount === undefined
        ? { automountServiceAccountToken: false }
        : { serviceAccountName: serviceAccount }),
      containers: [{
        name,
        ...(Object.keys(limits).length === 0 ? {} : { resources: { limits } }),
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      }],
    },
  };
}
