/** Runs programs in containers: each call in its own, by `docker`, removed at its end. */

import { plain, type Token } from "./invocation.ts";
import type { RemoteCommandLine, RemoteCommandOptions } from "./remote_command.ts";

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
export function inContainer(
  argv: readonly Token[],
  executor: DockerExecutor,
  { id, env, cwd, stdin }: RemoteCommandOptions,
): RemoteCommandLine {
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
