/** Keeps the bundled configs parsed, for commands from source that load all; servers and bundles do without. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemPath } from "../../io.ts";
import { replaceFile } from "../../files/write_file.ts";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { buildForm } from "../../process/build_info.ts";
import { cacheFolder } from "../../process/folders.ts";
import { version } from "../../process/version.ts";
import { bundledConfigs } from "./bundled.ts";
import { useParsed } from "./compiled.ts";

/** Uses the kept configs, and keeps them the first time. A cache that does not work is none. */
export async function useParsedConfigs(): Promise<void> {
  const folder = cacheFolder();
  if (buildForm() !== "source" || folder === undefined) return;
  try {
    const file = join(folder, "configs.json");
    const key = await keyOfConfigs();
    const configs = await readKept(file, key) ?? await keep(file, key, folder);
    useParsed(configs);
  } catch (error) {
    log("debug", `parsed configs are not kept: ${messageOf(error)}`);
  }
}

type Configs = Readonly<Record<string, unknown>>;

async function readKept(file: string, key: string): Promise<Configs | undefined> {
  try {
    const kept = JSON.parse(await Deno.readTextFile(systemPath(file)));
    return kept.key === key ? kept.configs : undefined;
  } catch {
    return undefined;
  }
}

async function keep(file: string, key: string, folder: string): Promise<Configs> {
  const { readConfig } = await import("./read_config.ts");
  const read = await Promise.all(
    bundledConfigs.entries().map(async ([name, text]) => {
      return [name, await readConfig(`bundled:${name}`, text())] as const;
    }),
  );
  const configs = Object.fromEntries(read.flatMap(([name, result]) => {
    return result.ok ? [[name, result.value]] : [];
  }));
  await Deno.mkdir(systemPath(folder), { recursive: true, mode: 0o700 });
  await replaceFile(file, JSON.stringify({ key, configs }), { mode: 0o600 });
  return configs;
}

/** Changes with the text of a config, and with the code that reads them. */
async function keyOfConfigs(): Promise<string> {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const code = await Array.fromAsync(Deno.readDir(systemPath(folder)), async ({ name }) => {
    const { mtime, size } = await Deno.stat(systemPath(join(folder, name)));
    return `${name} ${size} ${mtime?.getTime()}`;
  });
  const texts = bundledConfigs.values().map((text) => text());
  const text = [version, folder, ...code.toSorted(), ...texts].join("\n");
  // Without node:crypto, which takes a tenth of a start to load
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))
    .toHex();
}
