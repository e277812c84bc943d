/**
 * Three instances behind a real nginx, with a real Redis: jobs, long results and confirmations are those of any of them. What
 * happens to a store and to clocks is in `tests/server/shared_answers_test.ts`, `tests/jobs/shared` and `tests/state`.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { isAlive, pidIn } from "../../_wait.ts";
import { envelope } from "../../server/http/_server.ts";
import { type Caller, type Instances, instancesRequirement, startInstances } from "./_instances.ts";
import { jobIdIn, plainTool, waits, writeWorks } from "./_works.ts";

const drops = (dir: string) =>
  `name: drops
command: sh -c
tools:
  - name: drop
    effect: destructive
    argv: ['echo "$0" >> "$1"', "{what}", "${dir}/ran"]
    args: [{ name: what, required: true }]
`;

async function start(): Promise<Instances> {
  return await startInstances({
    words: ["--max-result-tokens", "2000"],
    async write(dir) {
      await Deno.writeTextFile(join(dir, "drops.yaml"), drops(dir));
      const policy = join(dir, "policy.yaml");
      await Deno.writeTextFile(policy, "default: enabled\ntools: { drop: { confirm: true } }\n");
      return [await writeWorks(dir, plainTool), join(dir, "drops.yaml"), "--policy", policy];
    },
  });
}

/** Begins a job at an instance; returns its id. */
async function begin(instances: Instances, script: string, at = 0): Promise<string> {
  return jobIdIn((await instances.call("back", { script }, { at })).text);
}

/** Runs a script with a long output; returns the id by which it is read. */
async function keep(instances: Instances, script: string, who?: Caller): Promise<string> {
  const { text } = await instances.call("plain", { script }, who);
  const [, id] = /output_read \{"id": "(k\w{12})"/.exec(text) ?? [];
  return id ?? assert.fail(text.slice(0, 200) + text.slice(-200));
}

instancesRequirement.test("a job is read, awaited and listed from any instance, by its own client, until its own is killed", async () => {
  await using instances = await start();
  const id = await begin(instances, waits);
  for (const at of [0, 1, 2]) {
    const { text } = await instances.call("job_status", { id }, { at });
    assert.match(text, /back has been running for \S+ s: job_result/);
    for (const tool of ["job_status", "job_result", "job_cancel"]) {
      const bobs = await instances.call(tool, { id }, { at, client: "bob" });
      const unknown = await instances.call(tool, { id: "j000000000000" }, { at, client: "bob" });
      assert.equal(bobs.text, unknown.text.replace("j000000000000", id));
    }
    assert.equal((await instances.call("job_list", {}, { at, client: "bob" })).text, "[no jobs]");
  }
  const waiting = [0, 1, 2].map((at) => instances.call("job_result", { id, wait: 100 }, { at }));
  await Deno.writeTextFile(join(instances.dir, "go"), "");
  for (const answer of await Promise.all(waiting)) assert.equal(answer.text, "half\nwhole");

  const file = join(instances.dir, "job.pid");
  const lost = await begin(instances, `echo $$ > ${file}; exec sleep 3600`);
  const pid = await pidIn(file);
  try {
    const left = instances.call("job_result", { id: lost, wait: 300 }, { at: 1 });
    instances.processes[0]!.kill("SIGKILL");
    // Without a word about it the wait would last 300 seconds
    const { text, isError } = await left;
    assert.equal(isError, true);
    assert.match(
      text,
      /^\[back is lost after \S+ s: the instance that ran it has not been heard of/,
    );
    for (const tool of ["job_status", "job_cancel", "job_result"]) {
      assert.match(
        (await instances.call(tool, { id: lost }, { at: 2 })).text,
        /back is lost after/,
      );
    }
    assert.match((await instances.call("job_list", {}, { at: 1 })).text, /^j\w+ lost back /m);
  } finally {
    if (isAlive(pid)) Deno.kill(pid, "SIGKILL");
  }
});

instancesRequirement.test("a long result is read at any instance, also after a restart of all, and the store has no word of it", async () => {
  await using instances = await start();
  const id = await keep(instances, "seq 300000; echo secret-in-the-output", { at: 0 });
  const job = await begin(instances, "echo secret-in-the-job", 1);
  assert.equal(
    (await instances.call("job_result", { id: job, wait: 100 }, { at: 2 })).text,
    "secret-in-the-job",
  );
  for (const at of [0, 1, 2]) {
    const page = await instances.call("output_read", { id, from_line: 150_000, lines: 2 }, { at });
    assert.match(page.text, /^150000\n150001\n\[lines 150000 to 150001 of 300,001; next: /);
    const found = await instances.call("output_search", { id, pattern: "^2999.7$" }, { at });
    assert.match(found.text, /^299905- 299905\n299906- 299906\n299907: 299907\n/);
    const bobs = await instances.call("output_read", { id }, { at, client: "bob" });
    assert.match(bobs.text, /^Output 'k\w{12}' not found: it was never stored, or was evicted/);
  }
  const found = await instances.redis.ask(
    "EVAL",
    `local count = 0
for _, key in ipairs(redis.call('KEYS', '*')) do
  local dump = redis.call('DUMP', key) or ''
  for _, word in ipairs(ARGV) do
    -- Hashes and sealed bytes have any short word by chance
    if #word > 7 and string.find(key .. dump, word, 1, true) then count = count + 1 end
    for part in string.gmatch(key, '[^:]+') do
      if part == word then count = count + 1 end
    end
  end
end
return count`,
    "0",
    ...["secret-in", "echo secret", '"tool":"', "back", "echo", "ada", "works"],
  );
  assert.equal(found, ":0\r\n");
  assert.notEqual(await instances.redis.ask("DBSIZE"), ":0\r\n");

  const running = await begin(instances, "echo begun; exec sleep 3600", 2);
  await instances.restart();
  for (const at of [0, 1, 2]) {
    const { text } = await instances.call("job_result", { id: job }, { at });
    assert.equal(text, "secret-in-the-job");
    const status = (await instances.call("job_status", { id: running }, { at })).text;
    assert.match(status, /back was cancelled after/);
  }
});

const canAnswer = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };

instancesRequirement.test("confirmations through the proxy run once, and no instance takes them again", async () => {
  await using on = await start();
  const send = async (what: string, answer: object = {}, who?: Caller) => {
    const args = { tool_name: "drop", args: { what } };
    const _meta = { ...envelope, ...canAnswer };
    const params = { name: "climax_call", arguments: args, ...answer, _meta };
    return (await (await on.send("tools/call", params, who)).json()).result;
  };
  const numbers = Array.from({ length: 30 }, (_, number) => String(number));
  const answers: object[] = [];
  // A change that is sent together with one that asks is refused
  for (const what of numbers) {
    const { requestState } = await send(what);
    const yes = { action: "accept", content: { run: true } };
    answers.push({ requestState, inputResponses: { q1: yes } });
  }
  const textsOf = async (who?: Caller) => {
    const results = await Promise.all(numbers.map((what, at) => send(what, answers[at], who)));
    return [...new Set(results.map(({ content }) => content[0].text))];
  };
  assert.deepEqual(await textsOf(), ["(no output)"]);
  for (const at of on.processes.keys()) {
    assert.deepEqual(await textsOf({ at }), ["Call refused: the answer was used before"]);
  }
  const ran = (await Deno.readTextFile(join(on.dir, "ran"))).trimEnd().split("\n");
  assert.deepEqual(ran.toSorted(), numbers.toSorted());
});
