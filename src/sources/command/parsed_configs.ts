/** Keeps the bundled configs parsed, for starts from source; bundles have them. */

import { dirname, join } from "node:path";
import { systemPath } from "../../io.ts";
import { replaceFile } from "../../files/write_file.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { protect } from "../../process/protected_paths.ts";
import { buildForm } from "../../process/build_info.ts";
import { cacheFolder, stampOfPath } from "../../process/folders.ts";
import { mayRead } from "../../process/permissions.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { ConfigFile } from "./schema.ts";

/** The config of `file` as it is kept, or parsed and kept. A cache that does not work is none. */
export async function readKeptConfig({ file, text }: NamedText): Promise<ConfigFile | undefined> {
  const folder = cacheFolder();
  if (buildForm() !== "source" || folder === undefined) return undefined;
  if (!mayRead(folder) || !mayRead(codeFolder)) return undefined;
  try {
    const path = protect(join(folder, "configs", `${file.slice("bundled:".length)}.json`));
    const key: Key = [stampOfCode(), text];
    return await readFrom(path, key) ?? await keep(path, key, file);
  } catch (error) {
    log("debug", `parsed configs are not kept: ${messageOf(error)}`);
    return undefined;
  }
}

type Key = readonly [stamp: string, text: string];

async function readFrom(path: string, [stamp, text]: Key): Promise<ConfigFile | undefined> {
  try {
    const kept = JSON.parse(await Deno.readTextFile(systemPath(path)));
    return kept.stamp === stamp && kept.text === text ? kept.config : undefined;
  } catch {
    return undefined;
  }
}

async function keep(path: string, [stamp, text]: Key, file: string) {
  const { readConfig } = await import("./read_config.ts");
  const read = await readConfig(file, text);
  if (!read.ok) return undefined;
  if (Deno.permissions.querySync({ name: "write", path }).state !== "granted") return read.value;
  await Deno.mkdir(systemPath(dirname(path)), { recursive: true, mode: 0o700 });
  await replaceFile(path, JSON.stringify({ stamp, text, config: read.value }), { mode: 0o600 });
  return read.value;
}

const codeFolder = import.meta.dirname ?? "";

let stamp: string | undefined;

/** Changes with the code that reads configs. */
function stampOfCode(): string {
  return stamp ??= [...Deno.readDirSync(systemPath(codeFolder))]
    .map(({ name }) => `${name} ${stampOfPath(join(codeFolder, name))}`).toSorted().join("\n");
}
