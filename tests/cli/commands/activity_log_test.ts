/** `climax log` with the calls that servers, commands and several processes at once have made. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { cellWidth } from "../../../src/text/wrap.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { spawn } from "../../_run.ts";
import { within } from "../../_wait.ts";
import { startReady } from "../../e2e/_raw.ts";
import { climax as commandLine, environment } from "../../e2e/_server.ts";
import { unixTest } from "../../_requirements.ts";
import { climax, climaxOnTerminal, climaxProcess, ends } from "./_climax.ts";

const config = {
  name: "own",
  description: "A config",
  command: "printf %s",
  tools: [{
    name: "own_say",
    description: "Says a text",
    effect: "read",
    args: [
      { name: "text", positional: true, required: true, text: "multiline" },
      { name: "token", flag: "--token" },
      { name: "input", stdin: true },
    ],
  }],
};
const policy = { default: "enabled", tools: { own_say: { args: { token: { secret: true } } } } };

async function withLog(
  use: (run: (...words: string[]) => ReturnType<typeof climax>, place: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly log: string;
  }) => Promise<unknown>,
): Promise<void> {
  await using dir = await scratch({
    "own.yaml": JSON.stringify(config),
    "policy.yaml": JSON.stringify(policy),
  });
  const place = { cwd: dir.path, env: { CLIMAX_STATE_DIR: join(dir.path, "state") } };
  const log = join(dir.path, "state", ".climax-logins", "activity.jsonl");
  await use((...words) => climax(words, place), { ...place, log });
}

/** What moves a terminal's cursor, or the eye. */
const hidden = "[\\x1b\\x9b\\u202e]";

const entriesIn = (text: string) => text.trim().split("\n").map((line) => JSON.parse(line));

unixTest(
  "climax log shows calls of a server and of commands, without secrets, newest last",
  () =>
    withLog(async (run, { log, ...place }) => {
      await ends(run("log"), { code: 0, stdout: "", stderr: /^No calls yet: [^]*connect CLIENT/ });
      const call = ["call", "own_say", "--config", "own.yaml", "--policy", "policy.yaml"];
      await run(...call, "text=one", "token=s3cret", "input=1nput");
      await run(...call, "text=-one", "token=s3cret");
      await run(...call, "text=none", "--audit", "off");
      {
        const words = ["own.yaml", "--policy", "policy.yaml"];
        await using server = await startReady(words, place);
        await server.call("own_say", { text: "two\n\u202e" });
      }
      assert.equal((await Deno.stat(log)).mode! & 0o777, 0o600);
      const { stdout } = await ends(run("log", "--json"), { code: 0, stderr: "" });
      assert.doesNotMatch(stdout, /s3cret|1nput|\u202e/);
      assert.deepEqual(
        entriesIn(stdout).map(({ client, effect, arguments: args, decision, tokens }) => {
          return [client, effect, args, decision, tokens > 0];
        }),
        [
          ["climax call", "read", { text: "one", token: "***", input: "***" }, "allowed", true],
          ["climax call", "read", { text: "-one", token: "***" }, "refused", true],
          ["raw", "read", { text: "two\n\u202e" }, "allowed", true],
        ],
      );
      const found = await run("log", "client=raw", "outcome=done", "since=1h");
      assert.match(
        found.stdout,
        /^\d{4}-\d\d-\d\d\nTIME +OUTCOME [^\n]+WHAT\n\S+ done +raw +own_say /,
      );
      assert.doesNotMatch(found.stdout, new RegExp(hidden));
      const shown = await climaxOnTerminal(["log"], { ...place, columns: 80 });
      const lines = shown.trimEnd().split("\n");
      assert.equal(lines.length, 5);
      assert.deepEqual(lines.filter((line) => cellWidth(line) > 80), []);
      await ends(run("log", "nowhere"), { code: 0, stderr: "No call matches 'nowhere'\n" });
      await ends(run("log", "since=soon"), {
        code: 2,
        stderr: /since= takes 30m, 12h, 7d or a date/,
      });
      // Another program can write there, too
      const foreign = JSON.stringify({ client: "\x1b[31mred\u202e", tool: "<b>\x9b2J" });
      await Deno.writeTextFile(log, `${foreign}\nno JSON\n`, { append: true });
      const { stdout: last } = await ends(run("log", "tool=<b>*"), {
        stderr: "Left out: 1 line that climax did not write\n",
      });
      assert.doesNotMatch(last, new RegExp(hidden));
    }),
);

unixTest(
  "processes at once lose no call, and a log that cannot be written costs a warning",
  () =>
    withLog(async (run, { log, ...place }) => {
      const call = (text: string) => {
        return climaxProcess(["call", "own_say", "--config", "own.yaml", `text=${text}`], place);
      };
      const all = ["a", "b", "c", "d"];
      const ran = await Promise.all(all.map(call));
      assert.deepEqual(ran.map(({ code, stdout, stderr }) => [code, stdout, stderr]), [
        ...all.map((text) => [0, `${text}\n`, ""]),
      ]);
      const said = entriesIn((await run("log", "--json")).stdout).map((each) =>
        each.arguments.text
      );
      assert.deepEqual(said.toSorted(), all);
      const warned = { code: 0, stdout: "x\n", stderr: /^[^\n]*activity log: [^\n]+\n$/ };
      await Deno.remove(log);
      await Deno.symlink(join(place.cwd, "elsewhere"), log);
      await ends(call("x"), warned);
      await ends(run("log"), {
        code: 3,
        stderr: /The log cannot be read[^]*It is a link|It is a link/,
      });
      await Deno.remove(log);
      await new Deno.Command("mkfifo", { args: [log] }).output();
      await ends(call("x"), warned);
      await Deno.remove(join(log, "..", "..", "..", "state"), { recursive: true });
      await Deno.writeTextFile(place.env["CLIMAX_STATE_DIR"]!, "");
      await ends(call("x"), warned);
    }),
);

unixTest(
  "climax log --follow prints calls as they end, and ends with Ctrl-C",
  () =>
    withLog(async (run, { log: _, ...place }) => {
      const call = ["call", "own_say", "--config", "own.yaml"];
      await run(...call, "text=before");
      const words = commandLine("log", "--follow", "--json", "tool=own_*");
      const child = spawn(words, { ...place, env: environment(place.env) });
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      for (const text of ["before", "after"]) {
        if (text === "after") await run(...call, "text=after");
        const { value = "" } = await within(reader.read(), "a line");
        assert.deepEqual(entriesIn(value)[0].arguments, { text });
      }
      child.kill("SIGINT");
      await Promise.all([child.stdin.close(), reader.cancel(), child.stderr.cancel()]);
      assert.equal((await child.status).code, 0);
    }),
);
