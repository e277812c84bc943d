/** A real sshd on a port of this machine. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { freePort } from "../_free_port.ts";
import { needs, outputOf } from "../_requirements.ts";

/** OpenSSH whole: Debian has the client, the keys' program and the server in two packages. */
export const openSsh = needs("sshd", Deno.build.os === "linux" && await isOpenSshHere());

/** These programs start, though not all have an argument that ends well. */
async function isOpenSshHere(): Promise<boolean> {
  const programs = ["ssh", "ssh-keygen", "/usr/sbin/sshd"];
  const outputs = await Promise.all(programs.map((program) => outputOf(program, ["-?"])));
  return outputs.every((output) => output !== undefined);
}

export interface Sshd extends AsyncDisposable {
  /** What a policy says of it. */
  readonly executor: Readonly<Record<string, string | number>>;
}

/** Starts it with keys and settings in `folder`, and with `lines` in its configuration. */
export async function startSshd(folder: string, lines: readonly string[] = []): Promise<Sshd> {
  const at = (name: string) => join(folder, name);
  for (const key of ["host", "user"]) {
    const args = ["-q", "-t", "ed25519", "-N", "", "-f", at(key)];
    assert.equal((await new Deno.Command("ssh-keygen", { args }).output()).success, true);
  }
  const port = freePort();
  await Deno.copyFile(at("user.pub"), at("authorized_keys"));
  await Deno.writeTextFile(
    at("known_hosts"),
    `[127.0.0.1]:${port} ${await Deno.readTextFile(at("host.pub"))}`,
  );
  await Deno.writeTextFile(
    at("sshd_config"),
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${at("host")}`,
      `AuthorizedKeysFile ${at("authorized_keys")}`,
      "PasswordAuthentication no",
      "StrictModes no",
      "UsePAM no",
      `PidFile ${at("sshd.pid")}`,
      ...lines,
    ].join("\n"),
  );
  await Deno.writeTextFile(at("ssh_config"), `UserKnownHostsFile ${at("known_hosts")}\n`);
  // Only root's sshd wants this folder, and no other user can make it
  if (Deno.uid() === 0) await Deno.mkdir("/run/sshd", { recursive: true });
  const sshd = new Deno.Command("/usr/sbin/sshd", {
    args: ["-D", "-e", "-f", at("sshd_config")],
    stderr: "piped",
  }).spawn();
  const reader = sshd.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes("Server listening")) {
    const { value, done } = await reader.read();
    assert.equal(done, false, said);
    said += value;
  }
  const drained = (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    executor: {
      type: "ssh",
      host: "127.0.0.1",
      port,
      identity: at("user"),
      config: at("ssh_config"),
    },
    async [Symbol.asyncDispose]() {
      sshd.kill("SIGTERM");
      await sshd.status;
      await drained;
    },
  };
}
