/** Runs in pods: each call one of its own, by `kubectl`, gone when the call has ended. */

import type { Token } from "./invocation.ts";
import type { RemoteCommandLine, RemoteCommandOptions } from "./remote_command.ts";
import { remoteInput } from "./remote_script.ts";

/** `kubectl run` with these settings. */
export interface KubernetesExecutor {
  readonly kind: "kubernetes";
  /** Has to have `sh` and `dd`. */
  readonly image: string;
  readonly namespace?: string;
  /** Of kubectl's configuration. */
  readonly context?: string;
  /** Absent: that of the namespace, whose token the pod does not get. */
  readonly serviceAccount?: string;
  /** Most that a pod may use, in Kubernetes' own words: `cpu: 500m`, `memory: 256Mi`. */
  readonly limits: Readonly<Record<string, string>>;
  /** Directory in the container. */
  readonly workingDir?: string;
}

/** Seconds that pulling the image and starting may take, in addition to the tool's timeout. */
const startSeconds = 120;

/** `argv` in a pod. */
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
    // The script is read once somebody listens: nothing that the program writes is lost
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

/** What of the pod has no word of its own on kubectl's command line. */
function overridesOf(name: string, executor: KubernetesExecutor, timeoutMs: number): object {
  const { serviceAccount, limits } = executor;
  return {
    spec: {
      // Even if nobody is left to take it away
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
