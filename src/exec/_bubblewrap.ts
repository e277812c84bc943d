/** The command line of bubblewrap (`bwrap`) for a view of the files. */

import type { SeenPath } from "./sandbox_view.ts";

/** Bytes of each private temporary folder, which lies in memory: 256 MiB. */
const temporaryBytes = String(256 * 1024 * 1024);

/** Namespaces, no privileges, the filter of `_system_calls.ts`, no terminal, no life after the server. */
const isolation = [
  "--die-with-parent",
  "--new-session",
  "--unshare-user",
  "--disable-userns",
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
  // What is mounted in a folder is mounted before the folder becomes read-only
  const readOnly = view.filter(({ access, isDirectory }) => access === "hidden" && isDirectory);
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
const kernel = [
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
      return isDirectory ? ["--perms", "0555", "--tmpfs", path] : ["--ro-bind", "/dev/null", path];
  }
}
