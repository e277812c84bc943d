/** The command line of bubblewrap (`bwrap`) for a view of the files. */

import { isIn, type SeenPath } from "./_file_rules.ts";

/** Bytes of each private temporary folder, which lies in memory: 256 MiB. */
const temporaryBytes = String(256 * 1024 * 1024);

/** Bytes of a folder in the place of a hidden one: the least, since its owner may change the mode. */
const hiddenBytes = "4096";

/** Namespaces, no privileges, the filter of `_system_calls.ts`, no terminal, no life after the server. */
const isolation: readonly string[] = [
  "--die-with-parent",
  "--new-session",
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  ...["--cap-drop", "ALL", "--seccomp", "9"],
];

/** The words before `--`, program first; `view` has parents before what is in them. */
export function bubblewrapLine(
  view: readonly SeenPath[],
  network: "none" | "host",
  cwd: string,
): readonly string[] {
  // What is mounted in a folder stands in folders of its own, which the mode of that one does not close
  const readOnly = view.filter(({ path, access, isDirectory }) => {
    return access === "hidden" && isDirectory &&
      view.some((below) => below.path !== path && isIn(below.path, path));
  });
  return [
    ...isolation,
    ...(network === "none" ? ["--unshare-net"] : []),
    ...view.flatMap(mountOf),
    ...readOnly.flatMap(({ path }) => ["--remount-ro", path]),
    ...["--remount-ro", "/dev", "--remount-ro", "/proc"],
    "--chdir",
    cwd,
  ];
}

function mountOf(seen: SeenPath): readonly string[] {
  const { path } = seen;
  const mount = ownMount(seen);
  return path === "/" ? [...mount, ...kernel] : mount;
}

/** The folders of the kernel, over those of this machine. */
const kernel: readonly string[] = [
  ...["--proc", "/proc", "--dev", "/dev"],
  ...["--perms", "1777", "--size", temporaryBytes, "--tmpfs", "/dev/shm"],
];

function ownMount({ path, access, isDirectory, link }: SeenPath): readonly string[] {
  switch (access) {
    case "read":
      return link === undefined ? ["--ro-bind", path, path] : ["--symlink", link, path];
    case "write":
      return ["--bind", path, path];
    case "private":
      return ["--perms", "1777", "--size", temporaryBytes, "--tmpfs", path];
    case "hidden":
      if (path === "/") return [];
      return isDirectory
        ? ["--perms", "0555", "--size", hiddenBytes, "--tmpfs", path]
        : ["--ro-bind", "/dev/null", path];
  }
}
