/**
 * A command line as a script for a POSIX shell somewhere else. It comes over the input, before the
 * program's own: what is on a command line is seen by everybody on the machine, may have so many
 * bytes, and would be read by whatever shell the account has.
 */

/** A command line, and where and with what it runs. */
export interface RemoteCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** The program's own input. */
  readonly stdin?: string | undefined;
}

/** What to start, and what to give it as its input. */
export interface RemoteInput {
  /** For `sh -c`; has no character that any shell reads as anything else within single quotes. */
  readonly loader: string;
  readonly stdin: string;
}

/** The exit code when the directory is not there, as that of a program that cannot be run. */
const noDirectory = 126;

/** `command` as a script and what reads it. */
export function remoteInput({ argv, env, cwd, stdin = "" }: RemoteCommand): RemoteInput {
  const lines = [
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`),
    ...(cwd === undefined ? [] : [`cd -- ${quoted(cwd)} || exit ${noDirectory}`]),
    `exec ${argv.map(quoted).join(" ")}`,
  ];
  return inputOf(lines.join("\n"), stdin);
}

/** `script` and what reads it. */
export function inputOf(script: string, stdin = ""): RemoteInput {
  const { length } = new TextEncoder().encode(script);
  // Byte by byte: what follows the script is the program's
  const loader = `eval "$(dd bs=1 count=${length} 2>/dev/null)"`;
  return { loader, stdin: script + stdin };
}

/** A script that ends every process that has `name=value` in its environment; Linux only. */
export function endingScript(name: string, value: string): string {
  return `found() {
  for file in /proc/[0-9]*/environ; do
    if tr '\\0' '\\n' < "$file" 2> /dev/null | grep -qx ${quoted(`${name}=${value}`)}; then
      id=\${file#/proc/}
      echo "\${id%/environ}"
    fi
  done
}
kill -TERM $(found) 2> /dev/null
for wait in 1 2 3 4; do
  [ -z "$(found)" ] && exit 0
  sleep 0.5
done
kill -KILL $(found) 2> /dev/null
exit 0`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
