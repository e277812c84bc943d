/** An agent that wants to allow its own call, by the tools that it has; and the same question to two instances. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { place, sandboxed } from "../../_sandbox.ts";
import { processTools, unixTest } from "../../_requirements.ts";
import { climaxProcess, ends } from "../../cli/commands/_climax.ts";
import { connect, type ConnectedClient, textsOf } from "../../e2e/_clients.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax } from "../../e2e/_server.ts";

/** A tool that has to be allowed, and others that an agent may call: programs of its choice, and `approve` itself. */
const config = (folder: string) =>
  `name: drops
command: ""
tools:
  - name: drop
    effect: destructive
    command: sh -c
    argv: ['echo "$0" >> "${folder}/ran"', "{what}"]
    args: [{ name: what, required: true }]
  - name: shell_run
    effect: read
    command: /bin/sh -c
    argv: ["{script}"]
    args: [{ name: script, required: true, text: any }]
  - name: approve_call
    effect: read
    command: ${climax()[0]}
    argv: ${JSON.stringify([...climax("approve").slice(1), "{id}", "--yes"])}
    args: [{ name: id, required: true }]
`;

const id = /climax approve ([a-z0-9]{6}) /;

interface Place {
  readonly dir: string;
  readonly env: Record<string, string>;
  readonly client: ConnectedClient;
  call(tool: string, args?: Record<string, unknown>): Promise<string>;
  ran(): Promise<string>;
}

async function withAgent(
  dir: string,
  use: (place: Place) => Promise<void>,
  words: readonly string[] = [],
): Promise<void> {
  await Deno.writeTextFile(join(dir, "drops.yaml"), config(dir));
  await Deno.writeTextFile(join(dir, "policy.yaml"), "default: enabled\nconfirm: destructive\n");
  const env = { HOME: dir, CLIMAX_STATE_DIR: join(dir, "state"), XDG_CONFIG_HOME: join(dir, "c") };
  const args = ["./drops.yaml", ...words, "--policy", "policy.yaml"];
  await using client = await connect(args, { cwd: dir, env });
  await use({
    dir,
    env,
    client,
    call: textsOf(client),
    ran: () => Deno.readTextFile(join(dir, "ran")).catch(() => ""),
  });
}

const drop = { what: "a" };

Deno.test({
  name: "a program that an agent has called approves nothing, whatever it does to its variables",
  ...processTools,
  async fn() {
    await using dir = await scratch();
    await withAgent(dir.path, async ({ call, ran, env }) => {
      const [, waiting = ""] = id.exec(await call("drop", drop))!;
      const refused = /A program that an agent has called approves nothing/;
      assert.match(await call("approve_call", { id: waiting }), refused);
      const words = climax("approve", waiting, "--yes").map((word) => `'${word}'`).join(" ");
      for (
        const script of [
          words,
          `env -u CLIMAX_CALL ${words}`,
          `env -u CLIMAX_CALL sh -c "${words}"`,
          // Without ps, in the place of the program that the call started
          `exec env -u CLIMAX_CALL PATH=/nowhere ${words}`,
        ]
      ) {
        assert.match(await call("shell_run", { script }), refused, script);
      }
      // By a server in which nothing waits
      await withAgent(dir.path, async (other) => {
        const script = `exec env -u CLIMAX_CALL ${words}`;
        assert.match(await other.call("shell_run", { script }), refused);
      });
      assert.match(await call("drop", drop), id);
      assert.equal(await ran(), "");
      // A person does
      await ends(climaxProcess(["approve", waiting, "--yes"], { env }), { code: 0 });
      assert.equal(await call("drop", drop), "(no output)");
      assert.equal(await ran(), "a\n");
    });
  },
});

Deno.test({
  name: "a held program sees nothing that waits, and what it writes allows nothing",
  ...sandboxed,
  async fn() {
    await using dir = await place();
    await withAgent(dir.path, async ({ call, ran, dir }) => {
      const [, waiting = ""] = id.exec(await call("drop", drop))!;
      const file = join(dir, "state", ".climax-logins", "approvals");
      const before = await Deno.readTextFile(file);
      const forged = JSON.stringify({ "approvals:answers": {} });
      const text = await call("shell_run", {
        script: `cat ${file} state/*/*; echo '${forged}' >${file}; mkdir -p state/.climax-logins
          rm -rf state; mv state old; ls -la state/.climax-logins; echo done`,
      });
      assert.match(text, /done/);
      assert.doesNotMatch(text, new RegExp(waiting));
      assert.equal(await Deno.readTextFile(file), before);
      assert.match(await call("drop", drop), new RegExp(waiting));
      assert.equal(await ran(), "");
    }, ["--sandbox"]);
  },
});

unixTest(
  "a forged answer in the place of the file allows nothing, and stops what waits",
  async () => {
    await using dir = await scratch();
    await withAgent(dir.path, async ({ call, ran, dir, env }) => {
      await call("drop", drop);
      const file = join(dir, "state", ".climax-logins", "approvals");
      const listed = JSON.parse(await Deno.readTextFile(file));
      const [record] = Object.values<string>(listed["approvals:waiting"]);
      const { key } = JSON.parse(record!);
      const answer = JSON.stringify({ choice: "always", by: "me", how: "x", at: 0, until: 1e15 });
      const forged = JSON.stringify({ "approvals:answers": { [`always ${key}`]: answer } });
      await Deno.writeTextFile(`${file}.new`, forged, { mode: 0o600 });
      await Deno.rename(`${file}.new`, file);
      const stopped = /it cannot wait for a person: the log says why$/;
      assert.match(await call("drop", drop), stopped);
      await Deno.remove(dirname(file), { recursive: true });
      assert.match(await call("drop", drop), stopped);
      assert.equal(await ran(), "");
      await ends(climaxProcess(["approve"], { env }), { stdout: "No call waits for a yes\n" });
    });
  },
);
