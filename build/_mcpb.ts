/**
 * Makes the `.mcpb` bundles, which Claude Desktop and other hosts install by a click. Each holds the portable
 * form and the Deno executable of one system, from the npm package of that system: one manifest cannot choose
 * a program by processor, and a host need not have Node.js.
 */

import { join } from "node:path";
import manifest from "../deno.json" with { type: "json" };
import { author, denoVersion, description, runFlags } from "./_facts.ts";
import { runTool, writeArchive } from "./_zip.ts";

/** The system of a bundle. */
interface BundleSystem {
  /** The npm package of its Deno. */
  readonly deno: string;
  /** Its name in a manifest, which is Node.js's. */
  readonly platform: "linux" | "darwin" | "win32";
}

/** The systems that have a bundle, by the names in the bundles' file names. */
export const bundleSystems: Readonly<Record<string, BundleSystem>> = {
  "linux-x64": { deno: "@deno/linux-x64-glibc", platform: "linux" },
  "macos-arm64": { deno: "@deno/darwin-arm64", platform: "darwin" },
  "windows-x64": { deno: "@deno/win32-x64", platform: "win32" },
};

/**
 * Starts the program in the chosen folder: a manifest has no working directory. Settings that a person left
 * empty arrive as empty words, or as the name of the setting.
 */
const launcher = `// Starts climax in the folder that was chosen, with the policy and the configs.
const [folder, ...rest] = Deno.args;
const [policy, configs] = rest.map((word) => /^\\$\\{user_config\\./.test(word) ? "" : word.trim());
const args = ["run", ...${JSON.stringify(runFlags)}, import.meta.dirname + "/climax.mjs", "run"];
args.push(...configs.split(",").map((config) => config.trim()).filter((config) => config !== ""));
args.push("--results", "compact");
if (policy !== "") args.push("--policy", policy);
const child = new Deno.Command(Deno.execPath(), { args, cwd: folder }).spawn();
for (const signal of Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM", "SIGHUP"]) {
  Deno.addSignalListener(signal, () => child.kill(signal));
}
Deno.exit((await child.status).code);
`;

/** The manifest of the bundle for `platform`. */
export function bundleManifest(
  platform: BundleSystem["platform"],
  repository: string | undefined,
): object {
  const program = `server/${executableOf(platform)}`;
  return {
    manifest_version: "0.3",
    name: manifest.name,
    display_name: "climax",
    version: manifest.version,
    description,
    author: { name: author },
    ...(repository === undefined ? {} : {
      repository: { type: "git", url: `${repository}.git` },
      homepage: repository,
      support: `${repository}/issues`,
    }),
    license: "MIT",
    keywords: ["mcp", "cli", "agents"],
    server: {
      type: "binary",
      entry_point: program,
      mcp_config: {
        command: `\${__dirname}/${program}`,
        args: [
          ...["run", "--no-config", "--no-prompt", "--no-remote", "--no-npm"],
          ...["--allow-read", "--allow-run", "${__dirname}/server/start.mjs"],
          ...["${user_config.folder}", "${user_config.policy}", "${user_config.configs}"],
        ],
      },
    },
    tools_generated: true,
    tools: [
      { name: "climax_search", description: "Find a tool" },
      { name: "climax_call", description: "Run a tool" },
    ],
    user_config: {
      folder: {
        type: "directory",
        title: "Folder",
        description: "The folder in which programs run",
        required: true,
      },
      configs: {
        type: "string",
        title: "Configs",
        description: "Names of bundled configs or paths of YAML files, with commas between them",
        default: "git",
        required: false,
      },
      policy: {
        type: "string",
        title: "Policy",
        description: "ask, open, readonly, or the path of a policy; empty: tools that write ask",
        default: "ask",
        required: false,
      },
    },
    compatibility: { platforms: [platform] },
  };
}

function executableOf(platform: BundleSystem["platform"]): string {
  return platform === "win32" ? "deno.exe" : "deno";
}

/** Why a bundle was not made. */
export interface BundleProblem {
  readonly text: string;
  /** The registry has no such package, so a second try makes no bundle either. */
  readonly isAbsent: boolean;
}

/**
 * Writes the bundle of `system`, whose Deno npm downloads and compares with the registry's hash.
 *
 * @returns why it was not made; `undefined` if it was
 */
export async function writeBundle(
  path: string,
  { deno, platform }: BundleSystem,
  { script, repository }: { readonly script: string; readonly repository: string | undefined },
): Promise<BundleProblem | undefined> {
  const folder = await Deno.makeTempDir({ prefix: "climax-mcpb-" });
  try {
    const npm = Deno.build.os === "windows" ? "npm.cmd" : "npm";
    const args = ["pack", "--json", "--prefer-offline", `${deno}@${denoVersion}`];
    const { success, stdout } = await new Deno.Command(npm, { args, cwd: folder }).output();
    if (!success) return npmProblem(new TextDecoder().decode(stdout), `${deno}@${denoVersion}`);
    const [tarball] = [...Deno.readDirSync(folder)].map(({ name }) => name);
    await runTool(["tar", "-xzf", tarball!], { cwd: folder });
    const from = join(folder, "package", executableOf(platform));
    await writeArchive(path, {
      "manifest.json": `${JSON.stringify(bundleManifest(platform, repository), null, 2)}\n`,
      "LICENSE": { from: "LICENSE" },
      "server/start.mjs": launcher,
      "server/climax.mjs": { from: script, mode: 0o755 },
      [`server/${executableOf(platform)}`]: { from, mode: 0o755 },
    });
    return undefined;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Says why npm has packed no `what`, by what it printed with `--json`. */
export function npmProblem(printed: string, what: string): BundleProblem {
  let error: { readonly code?: string; readonly summary?: string } = {};
  try {
    error = JSON.parse(printed).error ?? {};
  } catch {
    // npm ended without it
  }
  const { code = "no code", summary = "no reason" } = error;
  const isAbsent = code === "E404" || code === "ETARGET";
  if (isAbsent) return { isAbsent, text: `npm has no ${what}` };
  return { isAbsent, text: `npm could not fetch ${what}: ${code}, ${summary.split("\n")[0]}` };
}
