/** `climax validate` on configs that hand over more than they say. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { climax } from "../cli/commands/_climax.ts";
import { scratch } from "./_scratch.ts";

/** A command and the flag of its one argument, and what is said of them. */
const rows: readonly [command: string, flag: string, said: string][] = [
  ["sh -c", "--x", "The base command 'sh' runs any shell command"],
  ["bash -c", "--x", "The base command 'bash' runs any shell command"],
  ["env", "--x", "The base command 'env' runs the program that its arguments name"],
  ["xargs", "--x", "The base command 'xargs' runs the program that its arguments name, with"],
  ["sudo ls", "--x", "The base command 'sudo' runs the program that its arguments name, as"],
  ["python -c", "--x", "The command 'python -c' runs any code it is given"],
  ["node -e", "--x", "The command 'node -e' runs any code it is given"],
  ["git", "-c", "Tool 't': '-c' sets any configuration"],
  ["git fetch", "--upload-pack", "Tool 't': '--upload-pack' names the program"],
  ["git log", "--output=", "Tool 't': '--output=' writes a file of the caller's choice"],
  ["find .", "-exec", "Tool 't': '-exec' runs a program"],
  ["tar x", "--to-command=", "Tool 't': '--to-command=' runs a program"],
  ["ssh host", "-o", "Tool 't': '-o' sets any configuration, ProxyCommand among it"],
  ["kubectl get", "--kubeconfig", "Tool 't': '--kubeconfig' takes the cluster and the credentials"],
  ["docker ps", "--host", "Tool 't': '--host' talks to another daemon"],
  ["curl", "--output", "Tool 't': '--output' writes a file of the caller's choice"],
];

Deno.test("climax validate warns of each, with its reason, and of nothing harmless", async () => {
  await using dir = await scratch();
  const write = async (name: string, command: string, flag: string) => {
    const config = {
      name,
      description: "A config",
      command,
      tools: [{ name: `t_${name}`, description: "A tool", args: [{ name: "a", flag }] }],
    };
    await Deno.writeTextFile(join(dir.path, `${name}.yaml`), JSON.stringify(config));
  };
  for (const [index, [command, flag]] of rows.entries()) await write(`c${index}`, command, flag);
  await write("plain", "git log", "--max-count=");
  const files = rows.map((_, index) => `c${index}.yaml`);
  // Not all of the programs are on every machine; that is no concern of the warnings
  const { stdout } = await climax(["validate", ...files, "plain.yaml"], { cwd: dir.path });
  const lines = stdout.split("\n");
  for (const [index, [command, , said]] of rows.entries()) {
    const found = lines.filter((line) => line.startsWith(`warning: c${index}.yaml: `));
    const fits = found.filter((line) =>
      line.startsWith(`warning: c${index}.yaml: ${said.replace("'t'", `'t_c${index}'`)}`)
    );
    assert.equal(fits.length, 1, `${command}\n${found.join("\n")}`);
  }
  assert.deepEqual(lines.filter((line) => line.startsWith("warning: plain.yaml")), []);
});
