/** The example scripts over bundled configs: each makes calls that the configs take, and does what it should with the answers. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { prepareCall } from "../../src/call/prepare.ts";
import { refusalText } from "../../src/call/refusal.ts";
import { openSession } from "../../src/session/session.ts";
import { scriptLimits as limits } from "../../src/sources/scripts/limits.ts";
import { runInVm } from "../../src/sources/scripts/vm.ts";
import { canonicalJson } from "../../src/text/own_property.ts";
import { root } from "../_fixtures.ts";
import { closeVms } from "../sources/scripts/_vm.ts";

Deno.test.afterAll(closeVms);

const folder = join(root, "configs", "scripts");
const scripts = [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();

/** Answers of programs to the calls of a script, and the script's result. */
interface Answers {
  readonly input?: unknown;
  readonly answers: readonly {
    readonly request: { readonly name: string; readonly args: unknown };
    readonly isError: boolean;
    readonly text: string;
    readonly data?: unknown;
  }[];
  readonly result: string;
}

Deno.test("there are five example scripts", () => {
  assert.equal(scripts.length, 5);
});

for (const script of scripts) {
  Deno.test(`configs/scripts/${script} makes calls that read, and that its configs take`, async () => {
    const code = await Deno.readTextFile(join(folder, script));
    const file = join(root, "tests", "fixtures", "scripts", script.replace(/\.js$/, ".json"));
    const { input, answers, result }: Answers = JSON.parse(await Deno.readTextFile(file));
    const configs = /^\/\/ Configs?: ([a-z, ]+)\./m.exec(code)![1]!.split(", ");
    await using session = await openSession({ configs, preparesCalls: false });
    const outcome = await runInVm({
      code,
      input: JSON.stringify(input),
      limits,
      seed: 1,
      now: 0,
      answer: async ({ text }) => {
        const request = JSON.parse(text);
        const [name, args] = [request.name, request.args];
        assert.equal(session.index.get(name)?.effect, "read", name);
        const prepared = await prepareCall(session, { tool: name, args, refusesUnknown: true });
        assert.ok(prepared.ok, prepared.ok ? "" : refusalText(prepared));
        const found = answers.find((each) =>
          canonicalJson(each.request) === canonicalJson(request)
        );
        assert.ok(found, `no answer to ${text}`);
        const data = found.data === undefined ? undefined : JSON.stringify(found.data);
        return { text: found.text, isError: found.isError, data, now: 0 };
      },
      onLog: () => {},
    });
    assert.ok("returned" in outcome, JSON.stringify(outcome));
    const returned = JSON.parse(outcome.returned);
    assert.equal(typeof returned === "string" ? returned : outcome.returned, result);
  });
}
