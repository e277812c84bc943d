/** Runs programs in pods: each call in its own, by `kubectl`, removed at its end. */

import type { Token } from "./invocation.ts";
import {
  type RemoteCommandLine,
  type RemoteCommandOptions,
  remoteInput,
} from "./remote_command.ts";

export interface KubernetesExecutor {
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

/** Seconds to pull the image and to start, in addition to the timeout. */
const startSeconds = 120;

export function inPod(
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
    "run",
    name,
    `--image=${executor.image}`,
    "--restart=Never",
    "--stdin",
    "--quiet",
    `--pod-running-timeout=${startSeconds}s`,
    "--labels=app.kubernetes.io/managed-by=climax,app.kubernetes.io/component=call",
    "--override-type=strategic",
    `--overrides=${JSON.stringify(overridesOf(name, executor, timeoutMs))}`,
    "--command",
    "--",
  ];
  const remote = remoteInput({
    argv: argv.map(({ text }) => text),
    env,
    cwd: cwd?.text,
    stdin,
  });
  return {
    // The script waits until the client is attached, so that no output is lost
    argv: ["kubectl", ...words, "sh", "-c", remote.loader],
    shown: ["kubectl", ...words, ...argv.map(({ shown }) => shown)],
    stdin: remote.stdin,
    cleanup: {
      what: `Pod ${name}`,
      argv: [
        "kubectl",
        ...where,
        "delete",
        "pod",
        name,
        "--ignore-not-found",
        "--now",
        "--wait=false",
      ],
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
