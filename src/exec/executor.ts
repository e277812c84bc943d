/** Selects where programs run: on this machine, in a sandbox, or each call in its own container. */

import posix from "node:path/posix";
import { isAbsolute, join, normalize, type PlatformPath } from "node:path";
import { type Cleanup, plain, type Token } from "./invocation.ts";
import type { Sandbox } from "./sandbox_view.ts";

export type Executor = LocalExecutor | DockerExecutor;

interface LocalExecutor {
  readonly kind: "local";
  /** The sandbox of every tool that has none in `sandboxes`; absent: such tools have none. */
  readonly sandbox?: Sandbox;
  readonly sandboxes?: ReadonlyMap<string, Sandbox>;
  readonly exempt?: ReadonlySet<string>;
}

export function sandboxOf(executor: Executor, name: string): Sandbox | undefined {
  if (executor.kind !== "local") return undefined;
  const { sandbox, sandboxes, exempt } = executor;
  return sandboxes?.get(name) ?? (exempt?.has(name) ? undefined : sandbox);
}

export function isolatesCalls(executor: Executor, name: string): boolean {
  return executor.kind === "docker" || sandboxOf(executor, name) !== undefined;
}

export function sandboxesOf(executor: Executor): readonly Sandbox[] {
  if (executor.kind !== "local") return [];
  return [executor.sandbox ?? [], ...executor.sandboxes?.values() ?? []].flat();
}

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
  /** Each volume is `SOURCE:TARGET[:OPTIONS]`, with its variables expanded. */
  readonly volumes: readonly string[];
  readonly workingDir?: string;
  readonly network?: string;
}

interface ContainerOptions {
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: Token | undefined;
  readonly hasInput: boolean;
}

/** Runs `argv` by `docker run --rm`. Values of variables are in the environment of docker, not on its command line. */
export function inContainer(
  argv: readonly Token[],
  executor: DockerExecutor,
  { id, env, cwd: directory, hasInput }: ContainerOptions,
) {
  const name = `climax-${id}`;
  const text = workingDirectory(executor.workingDir, directory?.text, posix);
  const shown = workingDirectory(executor.workingDir, directory?.shown, posix);
  const words = [
    ...["run", "--rm"],
    ...(hasInput ? ["-i"] : []),
    ...["--name", name],
    ...Object.keys(env).flatMap((variable) => ["-e", variable]),
    ...executor.volumes.flatMap((volume) => ["-v", volume]),
    ...(executor.network === undefined ? [] : ["--network", executor.network]),
  ];
  const tokens = [
    ...words.map(plain),
    ...(text === undefined ? [] : [plain("-w"), { text, shown: shown ?? text }]),
    plain(executor.image),
    ...argv,
  ];
  const cleanup: Cleanup = { what: `container ${name}`, argv: ["docker", "rm", "--force", name] };
  return {
    argv: ["docker", ...tokens.map(({ text }) => text)] as const,
    shown: ["docker", ...tokens.map(({ shown }) => shown)],
    cleanup,
  };
}
