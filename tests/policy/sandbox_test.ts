/** The sandboxes of a policy: whose they are, and which paths they take. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { Finding } from "../../src/files/finding.ts";
import { sandboxesOf, sandboxOf } from "../../src/exec/executor.ts";
import { applyPolicy } from "../../src/policy/apply.ts";
import { applyPolicyFile } from "../../src/policy/policy_file.ts";
import type { PolicyFile } from "../../src/policy/schema.ts";
import { setIo } from "../../src/io.ts";
import { ioOf } from "../_io.ts";
import { unix } from "../_requirements.ts";
import { toolOf } from "../_tools.ts";
import { type Scratch, scratch } from "../e2e/_scratch.ts";

/** Applies `policy` in the folder `work` of `dir`, whose folder `home` is the home folder. */
async function applied(dir: Scratch, policy: PolicyFile) {
  const [cwd, home] = [join(dir.path, "work"), join(dir.path, "home")];
  const before = setIo(ioOf({ cwd, env: { HOME: home }, stdin: "", write() {} }));
  const tools = [{ ...toolOf("a"), source: { kind: "command" } }];
  try {
    return await applyPolicy(policy, tools, (name) => ({ HOME: home, EMPTY: "" })[name]);
  } finally {
    setIo(before);
  }
}

async function folders(dir: Scratch): Promise<void> {
  for (const name of ["work/out", "home/real", "elsewhere"]) {
    await Deno.mkdir(join(dir.path, name), { recursive: true });
  }
}

const said = ({ message, hint }: Pick<Finding, "message" | "hint">) =>
  hint === undefined ? message : `${message}; ${hint}`;

unix.test("a sandbox has the directory of the server, no network, and everything to read", async () => {
  await using dir = await scratch();
  await folders(dir);
  const { executor, problems } = await applied(dir, {
    executor: { type: "sandbox" },
    default: "enabled",
  });
  assert.deepEqual(problems, []);
  const unsetKeys = ["write", "read", "env", "network"];
  const usual = {
    unsetKeys,
    write: [join(dir.path, "work")],
    read: ["/"],
    hide: [],
    network: "none",
  };
  assert.deepEqual(sandboxOf(executor, "a"), usual);
});

unix.test("the sandbox of a tool has its own keys, and the executor's others", async () => {
  await using dir = await scratch();
  await folders(dir);
  const { executor, problems } = await applied(dir, {
    executor: { type: "sandbox", write: ["out"], network: "host", env: ["Y"] },
    tools: { a: { sandbox: { write: [], env: ["X"] } } },
  });
  assert.deepEqual(problems, []);
  const own = {
    unsetKeys: ["read"],
    write: [],
    read: ["/"],
    hide: [],
    network: "host",
    env: ["X"],
  };
  assert.deepEqual(sandboxOf(executor, "a"), own);
  assert.deepEqual(sandboxOf(executor, "b")?.write, [join(dir.path, "work", "out")]);
  assert.deepEqual(sandboxOf(executor, "b")?.env, ["Y"]);
  assert.equal(sandboxesOf(executor).length, 2);
});

unix.test("a tool has a sandbox where the others have none", async () => {
  await using dir = await scratch();
  await folders(dir);
  const { executor } = await applied(dir, { tools: { a: { sandbox: {} } } });
  assert.equal(sandboxOf(executor, "a")?.network, "none");
  assert.equal(sandboxOf(executor, "b"), undefined);
});

unix.test("links in the server's own directory are refused, a home that is a link is not", async () => {
  await using dir = await scratch();
  await folders(dir);
  await Deno.symlink(join(dir.path, "elsewhere"), join(dir.path, "work", "link"));
  await Deno.remove(join(dir.path, "home"), { recursive: true });
  await Deno.symlink(join(dir.path, "elsewhere"), join(dir.path, "home"));
  const one = await applied(dir, {
    executor: { type: "sandbox", write: ["link"] },
    default: "enabled",
  });
  assert.deepEqual(one.problems.map(said), [
    `'write': 'link' is a link, which leads to '${
      join(dir.path, "elsewhere")
    }'; Name what it leads to`,
  ]);
  const two = await applied(dir, {
    executor: { type: "sandbox", write: ["~"] },
    default: "enabled",
  });
  assert.deepEqual(two.problems, []);
  assert.deepEqual(sandboxOf(two.executor, "a")?.write, [join(dir.path, "elsewhere")]);
});

unix.test("paths may have spaces and line feeds, and what is not there stops the start", async () => {
  await using dir = await scratch();
  await folders(dir);
  await Deno.mkdir(join(dir.path, "work", "a b\nc"));
  const write = ["a b\nc", "absent"];
  const { executor, problems } = await applied(dir, {
    executor: { type: "sandbox", write },
    default: "enabled",
  });
  assert.deepEqual(sandboxOf(executor, "a")?.write, [join(dir.path, "work", "a b\nc")]);
  assert.deepEqual(problems.map(said), [
    "'write': 'absent' is not there; Create it, or take it off the list",
  ]);
});

unix.test("the tools of a server cannot have the sandbox of a program", async () => {
  await using dir = await scratch();
  await folders(dir);
  const tools = [{ ...toolOf("a"), source: { kind: "upstream" } }];
  const { problems } = await applyPolicy({ tools: { a: { sandbox: {} } } }, tools, () => undefined);
  assert.deepEqual(problems.map(said), [
    "'sandbox': tool 'a' is not of a program that a call starts; Name the tools of programs",
  ]);
});

unix.test("what is hidden cannot be written too, and may be inside of that", async () => {
  await using dir = await scratch();
  await folders(dir);
  const within = await applied(dir, {
    executor: { type: "sandbox", hide: ["out", "absent"] },
    default: "enabled",
  });
  assert.deepEqual(within.problems, []);
  const both = await applied(dir, {
    executor: { type: "sandbox", write: ["out"], hide: ["out"] },
    default: "enabled",
  });
  assert.deepEqual(both.problems.map(said), [
    `'hide': '${join(dir.path, "work", "out")}' is in 'write' or 'read' too`,
  ]);
});

unix.test("--sandbox holds the programs that nothing holds, and says where it cannot", async () => {
  await using dir = await scratch({
    "local.yaml": "default: enabled",
    "own.yaml": "executor: { type: sandbox, network: host }\ndefault: enabled",
    "docker.yaml": "executor: { type: docker, image: a }\ndefault: enabled",
  });
  const problem = { message: "of a config" };
  const loaded = { tools: [toolOf("a")], problems: [problem], warnings: [], unreadable: false };
  const under = async (name: string | undefined, sandbox: boolean | undefined) => {
    const policy = name === undefined ? undefined : join(dir.path, name);
    const step = { policy, sandbox };
    const { executor, problems } = await applyPolicyFile(loaded, step, () => undefined);
    assert.equal(problems[0], problem);
    return [sandboxOf(executor, "a")?.network, problems.slice(1).map(said)];
  };
  const inContainer =
    "--sandbox holds programs of this machine, and the policy says 'type: docker'; Leave --sandbox out";
  const rows: readonly (readonly [string | undefined, boolean | undefined, unknown])[] = [
    [undefined, undefined, [undefined, []]],
    [undefined, true, ["none", []]],
    ["local.yaml", undefined, [undefined, []]],
    ["local.yaml", true, ["none", []]],
    ["own.yaml", true, ["host", []]],
    ["docker.yaml", true, [undefined, [inContainer]]],
  ];
  for (const [name, sandbox, expected] of rows) {
    assert.deepEqual(await under(name, sandbox), expected, `${name} ${sandbox}`);
  }
  // Where all is known, what is unknown is a mistake, and no error
  const misspelt = { policy: { file: "p.yaml", text: "tools: { a: , b: }" } };
  for (const [problems, count] of [[[problem], 0], [[], 1]] as const) {
    const given = { ...loaded, problems };
    const found = await applyPolicyFile(given, misspelt, () => undefined);
    assert.deepEqual([found.problems, found.warnings.length], [problems, count]);
  }
  const step = { policy: join(dir.path, "none.yaml") };
  assert.equal((await applyPolicyFile(loaded, step, () => undefined)).unreadable, true);
});

unix.test("a path of a sandbox that is empty or cannot be read stops the start", async () => {
  await using dir = await scratch({ "work/file": "" });
  await folders(dir);
  const { problems } = await applied(dir, {
    executor: { type: "sandbox", write: ["$EMPTY/none"], read: ["file/x"], network: "bridge" },
    default: "enabled",
  });
  assert.deepEqual(problems.map(said), [
    "'network' is 'bridge': expected none or host",
    "'$EMPTY/none': variable $EMPTY is not set, or empty",
    "'read': 'file/x' cannot be read: Not a directory",
  ]);
});
