/**
 * What only docker can do: remove a container by its name, and say whether its daemon answers.
 */

import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { allBehind, behind } from "./behind.ts";
import { settledWithin } from "./settled_within.ts";

/** Milliseconds that a result waits for its container's removal, which goes on behind it. */
const waitMs = 300;

/** Milliseconds that a removal, or the daemon's answer, may take. */
const limitMs = 10_000;

/**
 * Removes the container `name`, running or not. Ending the docker client does not end what it
 * started. Comes back soon; {@linkcode removalsDone} waits for the rest.
 */
export async function removeContainer(
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await settledWithin(behind(remove(name, env)), waitMs);
}

/** Waits for the removals, and for whatever else of a run is under way behind its result. */
export async function removalsDone(): Promise<void> {
  await allBehind();
}

/** What the docker daemon says its version is, or why it does not answer. */
export async function dockerVersion(): Promise<{ version: string } | { reason: string }> {
  try {
    const { code, stdout, stderr } = await docker(["version", "--format", "{{.Server.Version}}"]);
    return code === 0 ? { version: stdout } : { reason: stderr };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}

async function remove(name: string, env: Readonly<Record<string, string>>): Promise<void> {
  try {
    const { code, stderr } = await docker(["rm", "--force", name], env);
    if (code !== 0) log("warning", `container ${name} may live on: ${stderr}`);
  } catch (error) {
    log("warning", `container ${name} may live on: ${messageOf(error)}`);
  }
}

async function docker(
  args: string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const timeout = AbortSignal.timeout(limitMs);
  const { code, stdout, stderr } = await new Deno.Command("docker", {
    args,
    env: { ...env },
    stdin: "null",
    signal: timeout,
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout).trim(), stderr: decoder.decode(stderr).trim() };
}
