/** Programs, text, endings and paths work for a person and an agent as Windows has them. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { climax } from "../cli/commands/_climax.ts";
import { isAlive, pidIn, untilGone } from "../_wait.ts";
import { type RawServer, startReady } from "./_raw.ts";
import { scratch } from "./_scratch.ts";
import { fixture } from "./_server.ts";

const ignore = Deno.build.os !== "windows";

function windowsTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

const shell = [
  "name: shell",
  "description: Programs of every Windows",
  "command: cmd /d /c",
  "tools:",
  "  - { name: say, description: Print a word, command: echo hello }",
  "  - { name: umlaut, description: Print more than ASCII, command: echo über }",
  "  - { name: waits, description: Wait long, command: ping -n 600 127.0.0.1, timeout: 2 }",
  "  - name: waits_deep",
  "    description: Wait long in a program of a program",
  "    command: cmd /d /c cmd /d /c ping -n 600 127.0.0.1",
  "    timeout: 2",
  "  - { name: much, description: Print a folder, command: dir /s C:\\windows\\system32 }",
].join("\n");

/** A folder with `shell.yaml`, a batch file and its config. */
async function withConfigs(use: (folder: string) => Promise<void>): Promise<void> {
  await using dir = await scratch({
    "shell.yaml": shell,
    "shown.cmd": "@echo off\r\necho [%1]\r\n",
  });
  const batch = [
    "name: batch",
    "description: A batch file",
    `command: '${join(dir.path, "shown")}'`,
    "tools:",
    "  - name: shown",
    "    description: Print the first argument",
    "    args:",
    "      - { name: text, description: Any, type: string, positional: true, text: multiline }",
  ];
  await Deno.writeTextFile(join(dir.path, "batch.yaml"), batch.join("\n"));
  await use(dir.path);
}

async function callText(server: RawServer, tool_name: string, args: object = {}): Promise<string> {
  return (await server.call("climax_call", { tool_name, args })).text;
}

windowsTest("validate and doctor find programs by the endings of PATHEXT", async () => {
  await withConfigs(async (folder) => {
    for (const name of ["shell.yaml", "batch.yaml"]) {
      const file = join(folder, name);
      assert.match((await climax(["validate", file])).stdout, /: ok, \d+ tools?\n$/);
      assert.doesNotMatch((await climax(["doctor", file])).stdout, /not on PATH/i);
    }
  });
});

windowsTest(
  "the working directory has no programs, and PATHEXT decides which file is one",
  async () => {
    await withConfigs(async (folder) => {
      const config = (command: string) =>
        `name: own\ndescription: x\ncommand: ${command}\ntools: [{ name: own, description: x }]\n`;
      await Deno.writeTextFile(join(folder, "first.yaml"), config("shown"));
      await Deno.writeTextFile(join(folder, "plain"), "no program");
      await Deno.writeTextFile(join(folder, "plain.txt"), "no program");
      await Deno.writeTextFile(join(folder, "second.yaml"), config(`'${join(folder, "plain")}'`));
      for (const name of ["first.yaml", "second.yaml"]) {
        await using server = await startReady([join(folder, name)], { cwd: folder });
        assert.match(await callText(server, "own"), /^Command not found: /);
      }
    });
  },
);

windowsTest("lines of files and of outputs may end in CRLF", async () => {
  const config = `${shell}\n  - name: lines\n    description: x\n    command: type lines.csv\n` +
    "    output: csv\n";
  await using dir = await scratch({
    "lines.csv": "a,b\r\n1,2\r\n",
    "crlf.yaml": config.replaceAll("\n", "\r\n"),
  });
  await using server = await startReady([join(dir.path, "crlf.yaml")], { cwd: dir.path });
  const { result } = await server.request("tools/call", {
    name: "climax_call",
    arguments: { tool_name: "lines", args: {} },
  });
  assert.equal(result.content[0].text, "a,b\n1,2");
  assert.deepEqual(result.structuredContent, { result: [{ a: "1", b: "2" }] });
});

windowsTest("calls print what programs print, in the console's code page too", async () => {
  await withConfigs(async (folder) => {
    await using server = await startReady([join(folder, "shell.yaml")]);
    assert.match(await callText(server, "say"), /^hello\s*$/);
    assert.match(await callText(server, "umlaut"), /^über\s*$/);
    assert.match(await callText(server, "much"), /output_read/);
  });
});

for (const tool of ["waits", "waits_deep"]) {
  windowsTest(`a call of ${tool} ends at its timeout, with its processes`, async () => {
    await withConfigs(async (folder) => {
      const before = await pings();
      await using server = await startReady([join(folder, "shell.yaml")]);
      assert.match(await callText(server, tool), /timed out/i);
      await untilGone(...(await pings()).filter((pid) => !before.includes(pid)));
    });
  });
}

/** The ids of all processes of `ping`. */
async function pings(): Promise<number[]> {
  const args = ["/fi", "IMAGENAME eq ping.exe", "/fo", "csv", "/nh"];
  const { stdout } = await new Deno.Command("tasklist", { args }).output();
  // Wine writes UTF-16
  const text = new TextDecoder("latin1").decode(stdout).replaceAll("\0", "");
  return [...text.matchAll(/"ping\.exe","(\d+)"/gi)].map(([, pid]) => Number(pid));
}

/** The number of cancelled calls, and of those that are sent at once; some wait for a permit. */
const [cancelled, atOnce] = [200, 10];

windowsTest("calls that are cancelled leave no process", async () => {
  await using dir = await scratch();
  await using server = await startReady([fixture("probe.yaml")]);
  const started: number[] = [];
  for (let first = 0; first < cancelled; first += atOnce) {
    const ids = Array.from({ length: atOnce }, (_, index) => `held${first + index}`);
    for (const id of ids) {
      const args = { file: join(dir.path, id), ms: 3_600_000 };
      const params = { name: "climax_call", arguments: { tool_name: "probe_hold", args } };
      await server.send({ id, method: "tools/call", params });
    }
    for (const [index, id] of ids.entries()) {
      // Every third before its program runs, or while it starts
      if (index % 3 > 0) started.push(await pidIn(join(dir.path, id)));
      await server.cancel(id);
    }
  }
  await server.closeInput();
  await server.ended();
  for await (const { name } of Deno.readDir(dir.path)) {
    started.push(Number(await Deno.readTextFile(join(dir.path, name))));
  }
  await untilGone(...started);
});

windowsTest("the end of the input ends what runs", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "pid");
  await using server = await startReady([fixture("probe.yaml")]);
  const params = {
    name: "climax_call",
    arguments: { tool_name: "probe_hold", args: { file, ms: 3_600_000 } },
  };
  await server.send({ id: "held", method: "tools/call", params });
  const pid = await pidIn(file);
  assert.equal(isAlive(pid), true);
  await server.closeInput();
  await server.ended();
  await untilGone(pid);
});

/** Texts that `cmd.exe` would take for more than an argument. */
const hostile = [
  'x" & echo pwned & rem "',
  "x & echo pwned",
  "x | echo pwned",
  "%PATH%",
  "!PATH!",
  "^& echo pwned",
  "a b",
  "100%",
  "> pwned.txt",
  "%",
  "%%PATH%%",
  "%1",
  "a,b;c=d",
  "(echo pwned)",
];

/** Arguments with backslashes, which the batch file sees doubled in front of a quote. */
const hostileEnds = [
  '\\" & echo pwned',
  "x\\",
  '"',
  '\\\\"&echo pwned&"',
  "%CMDCMDLINE:~-1%&echo pwned",
];

windowsTest("a batch file gets any argument as one, and no line feed", async () => {
  await withConfigs(async (folder) => {
    await using server = await startReady([join(folder, "batch.yaml")], { cwd: folder });
    for (const text of hostile) {
      const printed = await callText(server, "shown", { text });
      assert.equal(printed.trim(), `["${text.replaceAll('"', '""')}"]`);
    }
    for (const text of hostileEnds) {
      const lines = (await callText(server, "shown", { text })).trim().split(/\r?\n/);
      assert.equal(lines.length, 1, text);
      assert.match(lines[0]!, /^\["[^]*"\]$/);
    }
    await assert.rejects(Deno.stat(join(folder, "pwned.txt")), Deno.errors.NotFound);
    const refused = await server.call("climax_call", {
      tool_name: "shown",
      args: { text: "line\nfeed" },
    });
    assert.equal(refused.isError, true);
    assert.match(refused.text, /batch/i);
  });
});
