/**
 * A script for a POSIX shell that runs a program in a sandbox of the machine where the script runs, by the bubblewrap
 * there: the rules of `sandbox_view.ts`, with paths as they are when the call begins. What cannot be held is refused
 * by the script, before the program starts. See `_remote_sandbox_functions.ts` for what it does.
 */

import { hiddenBytes, isolation, kernel, temporaryBytes } from "./_bubblewrap.ts";
import { remoteFunctions } from "./_remote_sandbox_functions.ts";
import { filterLines, filterMachines } from "./_system_calls.ts";
import { basicVariables } from "./child_environment.ts";
import {
  privateInHome,
  privateOnMachine,
  protectedInGit,
  protectedNames,
  publicInRun,
  resolverInRun,
  socketVariables,
  systemFolders,
} from "./private_paths.ts";
import { quoted } from "./remote_script.ts";
import type { Sandbox } from "./sandbox_view.ts";

/**
 * What a program may do on another machine. Paths are those of that machine: absolute, in the home folder (`~/…`), or
 * below the directory of the executor.
 */
export interface RemoteSandbox extends Omit<Sandbox, "creates"> {
  /** May be written too if they are in the directory of the call, or in the nearest above. */
  readonly nearby?: readonly string[];
  /** May be read too if they are there. */
  readonly shown?: readonly string[];
  /** Paths of the other sandboxes on that machine, which this one keeps in their places. */
  readonly others?: readonly string[];
  /** {@linkcode heldScript}: most starts have no use for its code. */
  readonly scriptOf: (command: HeldCommand, sandbox: RemoteSandbox) => string;
}

/** A program to be held there. */
export interface HeldCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The directory of the executor; absent: that of the account. */
  readonly base?: string | undefined;
  /** Absent: `base`. */
  readonly cwd?: string | undefined;
  /** `NAME=VALUE` in the environment of what makes the sandbox, by which it is ended. */
  readonly holder: string;
}

/** The script that runs `command` in `sandbox`. */
export function heldScript(command: HeldCommand, sandbox: RemoteSandbox): string {
  const { argv, env, base = ".", cwd, holder } = command;
  const { read, write, hide, network, nearby = [], shown = [], others = [], env: passed = [] } =
    sandbox;
  const sees = read.includes("/");
  const root = write.includes("/") ? "write" : sees ? "read" : "hidden";
  const inRun = network === "host" ? [...publicInRun, ...resolverInRun] : publicInRun;
  const inherited = [...basicVariables, ...passed].filter((name) => /^[A-Za-z_]\w*$/.test(name));
  const below = (paths: readonly string[]) => paths.filter((path) => path !== "/");
  return [
    remoteFunctions,
    `names=${quoted(protectedNames.join(" "))} in_git=${quoted(protectedInGit.join(" "))}`,
    `begin ${quoted(base)} ${quoted(cwd ?? base)}`,
    `rule ${root} /`,
    ...(write.includes("/") ? ["note_write /"] : []),
    ...(sees ? [] : forEach(systemFolders, "system")),
    "add private /tmp",
    ...forEach(privateOnMachine, "add hidden"),
    ...forEach(privateInHome, "add_home hidden"),
    ...forEach(socketVariables, "hide_socket"),
    ...forEach(inRun, "add read"),
    ...forEach(shown, "show"),
    ...forEach(below(read), "asked read"),
    ...forEach(below(write), "asked write"),
    "tops=$writes",
    ...forEach(nearby, "near"),
    "protect",
    ...forEach(hide, "hide"),
    "pin_hidden",
    ...forEach(below(read), "pin_asked"),
    ...forEach(below(others), "pin_other"),
    `set -- ${words([...isolation, ...(network === "none" ? ["--unshare-net"] : [])])}`,
    mounts,
    `set -- "$@" --remount-ro /dev --remount-ro /proc --chdir "$cwd" --clearenv --args 8`,
    ...filters,
    "variables() {",
    ...forEach(inherited, "inherit"),
    ...Object.entries({ TMPDIR: "/tmp", ...env }).map(([name, value]) => {
      return `put --setenv ${words([name, value])}`;
    }),
    "}",
    `{ variables | env -i PATH="$PATH" ${holder} bwrap "$@" -- ${
      words(argv)
    } 8<&0 0<&7 7<&-; } 7<&0`,
    "ended=$?",
    "aside",
    'exit "$ended"',
  ].join("\n");
}

function words(all: readonly string[]): string {
  return all.map(quoted).join(" ");
}

/** Calls `command` with each of `all`. */
function forEach(all: readonly string[], command: string): string[] {
  return all.length === 0 ? [] : [`for each in ${words(all)}; do ${command} "$each"; done`];
}

/** The filter of system calls for the machine that runs the script, on descriptor 9. */
const filters: readonly string[] = [
  "case $(uname -m) in",
  ...filterMachines.map((machine) => `${machine})\n${filterLines(machine)}\n;;`),
  '*) fail "its processor ($(uname -m)) is not known" ;;',
  "esac",
];

/** Adds the mounts to the words of bubblewrap, parents first: functions have positional parameters of their own. */
const mounts = `level=0
while [ "$level" -le "$deepest" ]; do
  m=0
  while [ "$m" -lt "$count" ]; do
    eval "path=\\$path$m access=\\$access$m depth=\\$depth$m"
    m=$((m + 1))
    [ "$depth" = "$level" ] || continue
    case $access in
      read) set -- "$@" --ro-bind "$path" "$path" ;;
      link) real "$path"; set -- "$@" --symlink "$real" "$path" ;;
      write)
        # A file that is a mount cannot be replaced, as programs do that write one
        [ -d "$path" ] || { access_above "$path"; [ "$access" != write ]; } || continue
        set -- "$@" --bind "$path" "$path" ;;
      kept) set -- "$@" --bind "$path" "$path" ;;
      private) set -- "$@" --perms 1777 --size ${temporaryBytes} --tmpfs "$path" ;;
      hidden)
        if [ "$path" = / ]; then :
        elif [ -d "$path" ]; then set -- "$@" --perms 0555 --size ${hiddenBytes} --tmpfs "$path"
        else set -- "$@" --ro-bind /dev/null "$path"
        fi ;;
    esac
    [ "$path" != / ] || set -- "$@" ${kernel.join(" ")}
  done
  level=$((level + 1))
done
m=0
while [ "$m" -lt "$count" ]; do
  eval "path=\\$path$m access=\\$access$m"
  m=$((m + 1))
  [ "$access" != hidden ] || [ "$path" = / ] || [ ! -d "$path" ] || set -- "$@" --remount-ro "$path"
done`;
