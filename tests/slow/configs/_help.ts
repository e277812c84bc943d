/**
 * Reads the help texts of programs: each is asked for once, some at a time, and kept between
 * runs of the tests for as long as the program says that it is the same version.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { cacheFolder } from "../../../src/process/folders.ts";
import { programOf, say } from "../../configs/_programs.ts";

/** A person's own: another one of this machine could write what the tests believe. */
const texts = join(cacheFolder() ?? await Deno.makeTempDir(), "tests", "help");

/** Programs asked at once: most of them wait for the disk. */
const atOnce = 4;

const asked = new Map<string, Promise<string>>();
const waiting: (() => void)[] = [];
let running = 0;

/** The help that `argv` prints in `cwd`, on either stream and with any exit code. */
export function helpText(argv: readonly string[], cwd: string): Promise<string> {
  const key = JSON.stringify(argv);
  const known = asked.get(key);
  if (known !== undefined) return known;
  const text = kept(argv, cwd);
  asked.set(key, text);
  return text;
}

async function kept(argv: readonly string[], cwd: string): Promise<string> {
  const version = await versionOf(argv[0]!);
  const hash = createHash("sha256").update(JSON.stringify([version, argv])).digest("hex");
  const file = join(texts, `${hash.slice(0, 24)}.txt`);
  const found = await Deno.readTextFile(file).catch(() => "");
  if (found !== "") return found;
  const said = await inTurn(() => say(argv, cwd));
  assert.ok(said !== undefined && said.text.length > 20, `${argv.join(" ")} prints no help`);
  // Bold letters of manual pages, over-struck or escaped; `--[no-]edit` is `--edit` and `--no-edit`
  // deno-lint-ignore no-control-regex
  const text = stripVTControlCharacters(said.text).replaceAll(/.\x08/g, "")
    .replaceAll(/(--?)\[(no-?)\]([\w-]+)/g, "$1$3 $1$2$3");
  await Deno.mkdir(texts, { recursive: true, mode: 0o700 });
  const half = `${file}.${crypto.randomUUID()}`;
  await Deno.writeTextFile(half, text);
  await Deno.rename(half, file);
  return text;
}

const versions = new Map<string, Promise<string>>();

function versionOf(program: string): Promise<string> {
  const known = versions.get(program) ??
    inTurn(async () => `${programOf(program)} ${(await say(versionCommand(program)))?.text}`);
  versions.set(program, known);
  return known;
}

function versionCommand(program: string): string[] {
  switch (program) {
    case "kubectl":
      return ["kubectl", "version", "--client"];
    case "ffmpeg":
    case "ffprobe":
      return [program, "-version"];
    default:
      return [program, "--version"];
  }
}

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await work();
  } finally {
    running--;
    waiting.shift()?.();
  }
}
