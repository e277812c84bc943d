/** What a client does with the files that `climax connect` writes, and we with those that it writes. */

import assert from "node:assert/strict";
import { clients } from "../../src/setup/clients.ts";
import { clientNames } from "../../src/setup/init_places.ts";
import { climax } from "../../tests/e2e/_server.ts";
import type { Home } from "./_home.ts";
import type { Program } from "./_programs.ts";

/** A check of a client in a home that no other check has used; `null` is said of what a client does not have. */
export type Check = (program: Program, home: Home) => Promise<string | null>;

/** The checks, in the order of the table. */
export const checks: Readonly<Record<string, Check>> = {
  async version({ command }, home) {
    const { text } = await home.run([command, "--version"]);
    return /\d+\.\d+\.\d+/.exec(text)?.[0] ?? assert.fail(text);
  },

  /** A file that is not there yet, which the client reads, and then has no more. */
  async reads(program, home) {
    await program.trust(home);
    await connect(home, program.name, "git");
    await expectListed(program, home, { climax: program.best });
    await disconnect(home, program.name);
    await expectListed(program, home, { climax: "absent" });
    return program.best;
  },

  /** A file that the client wrote itself, which is as before to the byte, and whose server works on. */
  async beside(program, home) {
    await program.trust(home);
    const command = climax("run", "git");
    const { code, text } = await home.run([program.command, ...program.add("own", command)]);
    assert.equal(code, 0, text);
    await expectListed(program, home, { own: program.best });
    const file = await fileOf(program, home);
    const before = await Deno.readTextFile(file);
    await connect(home, program.name, "git");
    await expectListed(program, home, { climax: program.best, own: program.best });
    await disconnect(home, program.name);
    assert.equal(await Deno.readTextFile(file), before);
    await expectListed(program, home, { own: program.best, climax: "absent" });
    return "ok";
  },

  /** A file that the client has written into since climax was put there. */
  async since(program, home) {
    await program.trust(home);
    await connect(home, program.name, "git");
    const { code, text } = await home.run([
      program.command,
      ...program.add("own", climax("run", "git")),
    ]);
    assert.equal(code, 0, text);
    await expectListed(program, home, { climax: program.best });
    await disconnect(home, program.name);
    await expectListed(program, home, { own: program.best, climax: "absent" });
    return "ok";
  },

  /** The same for the folder's project, which some clients want to be asked about first. */
  async project(program, home) {
    if (clientOf(program).project === undefined) return null;
    await connect(home, program.name, "git", "--scope", "project");
    const { untrusted } = program;
    if (untrusted !== undefined) await expectListed(program, home, { climax: untrusted });
    await program.trust(home);
    await expectListed(program, home, { climax: program.best });
    await disconnect(home, program.name, "--scope", "project");
    await expectListed(program, home, { climax: "absent" });
    return untrusted === undefined ? "ok" : "ok, once trusted";
  },

  /** `climax doctor` starts what the client starts. */
  async doctor(program, home) {
    await program.trust(home);
    // The client has looked at the file before
    await connect(home, program.name, "git");
    await home.run([program.command, ...program.list]);
    const { text } = await home.climax("doctor", "git", "--all");
    assert.match(text, new RegExp(`^ok: client ${program.name} \\(user\\): Starts, `, "m"));
    return "ok";
  },

  /** `climax init` has the servers of the client, and not climax. */
  async init(program, home) {
    if (!clientNames.some((name) => name === program.name)) return null;
    await program.trust(home);
    const own = ["sh", "-c", "exec cat"];
    await home.run([program.command, ...program.add("own", own)]);
    await connect(home, program.name, "git");
    const { code, text } = await home.climax("init", "--agent", program.name, "--dry-run");
    assert.equal(code, 0, text);
    const written = text.split("\n").filter((line) => line.startsWith("+ "));
    const { mcpServers } = JSON.parse(written.map((line) => line.slice(2)).join("\n"));
    assert.deepEqual(mcpServers, [
      { name: "own", transport: "stdio", command: "sh", args: ["-c", "exec cat"] },
    ]);
    assert.match(text, /server 'climax' is left out: it is climax itself/);
    return "ok";
  },
};

function clientOf({ name }: Program) {
  return clients.find((each) => each.name === name)!;
}

/** The file that `climax connect` finds, wherever the client has put it. */
async function fileOf({ name }: Program, home: Home): Promise<string> {
  const { text } = await home.climax("connect", "--json");
  const places: { client: string; scope: string; path: string }[] = JSON.parse(text);
  return places.find((place) => place.client === name && place.scope === "user")!.path;
}

async function connect(home: Home, ...words: string[]) {
  const { code, text } = await home.climax("connect", ...words, "--yes");
  assert.equal(code, 0, text);
}

async function disconnect(home: Home, ...words: string[]) {
  const { code, text } = await home.climax("connect", ...words, "--remove", "--yes");
  assert.equal(code, 0, text);
}

/** Looks at one list, since a client may take seconds for it. */
async function expectListed(
  { command, list, listed }: Program,
  home: Home,
  expected: Readonly<Record<string, string>>,
) {
  const { text } = await home.run([command, ...list]);
  for (const [name, how] of Object.entries(expected)) {
    assert.equal(listed(text, name), how, `${name} is not as expected in:\n${text}`);
  }
}
