/** What ends processes: those of the served folder and of loopback, and never climax or its client. */

import assert from "node:assert/strict";
import { connect } from "../../e2e/_clients.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { programs } from "../../_requirements.ts";

const { test } = await programs({ perl: ["-v"], ss: ["-V"] });

/** Starts a program of Perl in `cwd`; resolves once it has printed a line, which is its port. */
async function start(cwd: string, code: string) {
  const child = new Deno.Command("perl", { args: ["-e", `$|=1; ${code}`], cwd, stdout: "piped" })
    .spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    pid: child.pid,
    port: Number(new TextDecoder().decode(value)),
    ended: child.status,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended
      }
      await reader.cancel();
      await child.status;
    },
  };
}

const listen = (address: string) =>
  `use IO::Socket::INET; $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "${address}"); ` +
  `print $s->sockport, "\\n"; sleep 600`;

test("process_end asks no person about what it would refuse", async () => {
  await using place = await scratch();
  await using client = await connect(["processes", "--policy", "ask"], { cwd: place.path });
  const args = { port: 1 };
  const { text } = await client.call("climax_call", { tool_name: "process_end", args });
  assert.match(text, /^Call not made, since its dry run fails: [^]*listens on port 1/);
});

test("process_end ends what the folder or loopback has, and nothing else", async () => {
  await using place = await scratch();
  const cwd = place.path;
  await using client = await connect(["processes", "--policy", "open"], { cwd });
  const end = async (args: Record<string, unknown>) => {
    return (await client.call("climax_call", { tool_name: "process_kill", args })).text;
  };
  await using beside = await connect(["processes"], { cwd });
  await using own = await start(cwd, listen("0.0.0.0"));
  await using local = await start("/", listen("127.0.0.1"));
  await using open = await start("/", listen("0.0.0.0"));
  await using deaf = await start(cwd, `$SIG{TERM} = "IGNORE"; print "1\\n"; sleep 600`);
  await using other = await start("/", `print "1\\n"; sleep 600`);
  const refused = [
    [{}, /expected pid or port/],
    [{ pid: own.pid, port: own.port }, /expected pid or port/],
    [{ pid: other.pid }, /was not started in the folder/],
    [{ port: open.port }, /does not listen on loopback alone/],
    // This test is the client
    [{ pid: Deno.pid }, /never ended/],
    [{ pid: beside.pid }, /is climax, .*never ended/],
    [{ pid: deaf.pid, directory: "/" }, /outside/],
    [{ pid: 4_194_305 }, /no process/],
    [{ pid: own.pid, dry_run: true }, /listens on \d+$/],
  ] as const;
  for (const [args, expected] of refused) {
    assert.match(await end(args), expected, JSON.stringify(args));
  }
  const shown = `^${own.pid} perl, since \\d{4}-.*, in ${cwd}, listens on ${own.port}\nended$`;
  assert.match(await end({ port: own.port }), new RegExp(shown));
  assert.equal((await own.ended).signal, "SIGTERM");
  assert.match(await end({ port: local.port }), /ended/);
  await local.ended;
  assert.match(await end({ pid: deaf.pid }), /still running after 5 seconds/);
  assert.match(await end({ pid: deaf.pid, force: true }), /ended/);
  assert.equal((await deaf.ended).signal, "SIGKILL");
});
