/** `climax compile`: builds a server for exactly these configs under exactly this policy. */

import { resolve } from "node:path";
import { systemPath } from "../../io.ts";
import { replaceFile, requireWrite } from "../../files/write_file.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { say } from "../../log.ts";
import { compileBinary, isDenoOnPath } from "../../pack/deno.ts";
import { permissionFlags } from "../../pack/permission_flags.ts";
import { shellWord } from "../../text/shell_word.ts";
import { programCode, withoutPacked } from "../../pack/program_code.ts";
import { portableScript } from "../../pack/script.ts";
import { readSealed } from "../../pack/seal.ts";
import { buildForm } from "../../process/build_info.ts";
import { isFleeting } from "../../process/own_command.ts";
import { isConfigPath } from "../../sources/command/locate.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { configsHelp, someConfigs } from "../config_words.ts";
import { label, sayHint } from "../messages.ts";
import { showWaiting } from "../progress_line.ts";
import { choiceOption, shared } from "../options.ts";
import { print } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Build a server for exactly these configs under exactly this policy")
    .argument("[config...]", configsHelp)
    .addOption(shared.config())
    .requiredOption("-o, --output <file>", "where the server is written")
    .addOption(shared.policy())
    .addOption(shared.sandbox())
    .addOption(shared.scripts())
    .addOption(shared.strict())
    .option("--audit <file>", "have the server append a line of JSON to this file for each call")
    .addOption(shared.classic())
    .option("--portable", "make a script that runs where Deno is, instead of a binary")
    .addOption(
      choiceOption("--target <target>", "build a binary for another system", targets).conflicts(
        "portable",
      ),
    );
}

const targets = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
  "aarch64-pc-windows-msvc",
] as const;

export const examples: readonly Example[] = [
  ["compile git --policy read-only.yaml -o git-server", "build a binary for this system"],
  ["compile ./my.yaml --portable -o server.mjs", "build a script that runs where Deno is"],
];

export async function run(...[named, options]: CommandArguments<typeof define>) {
  const { policy, sandbox, scripts, strict, classic = false, output, portable, target } = options;
  const configs = someConfigs(named, options.config);
  // A config name is not a file here
  const inputs = [...configs.filter(isConfigPath), ...policy === undefined ? [] : [policy]];
  if (inputs.some((input) => resolve(systemPath(input)) === resolve(systemPath(output)))) {
    throw new UsageError(`The server would be written over '${output}', which it is built from`);
  }
  // An absolute path, so that it is the same file wherever the server is started
  const audit = options.audit === undefined ? undefined : resolve(systemPath(options.audit));
  const { openSession } = await import("../../session/session.ts");
  const contents = await readSealed({ configs, policy, sandbox, scripts, classic });
  await using session = await openSession({ ...contents, strict });
  const permissions = permissionFlags(await session.permissions({ audit }));
  const sealed = { ...contents, permissions, ...(audit === undefined ? {} : { audit }) };
  const code = await showWaiting("building the program", async () => {
    return withoutPacked(await programCode());
  });
  const hasDeno = !portable || isDenoOnPath();
  // A binary of climax is not a Deno that could start a script
  const otherwise = hasDeno || buildForm() === "binary" ? undefined : Deno.execPath();
  const script = portableScript(code, { built: "portable", sealed }, permissions, otherwise);
  if (portable) await writeScript(output, script);
  else {
    const binary = { output, flags: permissions, ...(target && { target }) };
    await showWaiting("compiling", () => writeBinary(script, binary));
  }
  await print(`${output}: ${permissions.map((flag) => shellWord(flag)).join(" ")}`);
  if (!hasDeno) warnOfDeno(otherwise);
  return ExitCode.ok;
}

/** Says which program starts the script on a system without `deno` on PATH. */
function warnOfDeno(otherwise: string | undefined): void {
  const warning = label("warning", "stderr");
  if (otherwise !== undefined) {
    say(`${warning} There is no 'deno' on PATH here, so the script is started by ${otherwise}`);
    if (isFleeting(otherwise)) {
      sayHint("That is in the cache of npx, which may be emptied: npm install -g deno");
    }
  } else {
    say(`${warning} The script is started by 'deno', which is not on PATH here`);
  }
}

async function writeScript(output: string, script: string): Promise<void> {
  await requireWrite(output, "Nothing was built", () => {
    return replaceFile(output, script, { mode: 0o755 });
  });
}

async function writeBinary(
  script: string,
  options: Parameters<typeof compileBinary>[1],
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "climax-" });
  try {
    const source = `${directory}/server.mjs`;
    await writeScript(source, script);
    await compileBinary(source, options);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
