/** How somebody at a terminal starts this program once more. */

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildForm } from "./build_info.ts";

/** The words before a command's name. */
export function ownCommand(): readonly string[] {
  if (buildForm() === "binary") return [Deno.execPath()];
  const main = fileURLToPath(Deno.mainModule);
  if (buildForm() === "portable") {
    return /[\\/]node_modules[\\/]/.test(main) ? ["npx", "-y", "climax-mcp"] : [main];
  }
  const root = resolve(main, "..");
  const task = ["climax"];
  return Deno.cwd() === root
    ? ["deno", "task", "-q", ...task]
    : ["deno", "task", "-q", "--config", resolve(root, "deno.json"), ...task];
}
