/** Streams, environment and directory for a run of `main` in this process. */

import { type Io, io, setIo } from "../src/io.ts";
import { sources } from "./e2e/_server.ts";
import { pathToFileURL } from "node:url";

/** A stream of the run. */
export type StreamName = "stdin" | "stdout" | "stderr";

/** What the run is given. */
export interface IoSettings {
  readonly cwd: string;
  /** All variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Receives every write. */
  readonly write: (bytes: Uint8Array, stream: "stdout" | "stderr") => void;
  /** Its width, and the streams that are connected to it. @default none are */
  readonly terminal?: {
    readonly columns: number;
    readonly streams: readonly StreamName[];
  } | undefined;
}

/** Makes what `main` takes in place of its process. It gets no signals and keeps all permissions. */
export function ioOf({ cwd, env, stdin, write, terminal }: IoSettings): Io {
  const isTerminal = (name: StreamName) => () => terminal?.streams.includes(name) ?? false;
  const variables: Record<string, string> = { CLIMAX_LAUNCHER: "climax", ...env };
  return {
    stdin: { ...inputOf(stdin), isTerminal: isTerminal("stdin") },
    stdout: { ...outputOf((bytes) => write(bytes, "stdout")), isTerminal: isTerminal("stdout") },
    stderr: { ...outputOf((bytes) => write(bytes, "stderr")), isTerminal: isTerminal("stderr") },
    env: {
      get: (name) => variables[name],
      set: (name, value) => void (variables[name] = value),
      toObject: () => ({ ...variables }),
    },
    noColor: Boolean(env["NO_COLOR"]),
    permissions: {
      querySync: (asked) => Deno.permissions.querySync(asked),
      revokeSync: ({ name }) => Deno.permissions.querySync({ name }),
    },
    mainModule: pathToFileURL(sources).href,
    cwd: () => cwd,
    consoleSize() {
      if (terminal === undefined) throw new Error("There is no terminal");
      return { columns: terminal.columns };
    },
    addSignalListener() {},
    removeSignalListener() {},
  };
}

function inputOf(text: string): Pick<Io["stdin"], "readable" | "read" | "setRaw"> {
  let rest: Uint8Array<ArrayBuffer> = new TextEncoder().encode(text);
  return {
    get readable() {
      return new Blob([rest]).stream();
    },
    // As a terminal does: at most one line at a time
    read(buffer) {
      if (rest.length === 0) return Promise.resolve(null);
      const lineEnd = rest.indexOf("\n".charCodeAt(0)) + 1;
      const length = Math.min(buffer.length, lineEnd === 0 ? rest.length : lineEnd);
      buffer.set(rest.subarray(0, length));
      rest = rest.slice(length);
      return Promise.resolve(length);
    },
    setRaw() {},
  };
}

function outputOf(
  write: (bytes: Uint8Array) => void,
): Pick<Io["stdout"], "writable" | "write"> & Pick<Io["stderr"], "writeSync"> {
  const writeSync = (bytes: Uint8Array) => {
    write(bytes.slice());
    return bytes.length;
  };
  return {
    writeSync,
    write: (bytes) => Promise.resolve(writeSync(bytes)),
    writable: new WritableStream<Uint8Array<ArrayBufferLike>>({
      write: (bytes) => void writeSync(bytes),
    }),
  };
}

/**
 * Gives variables other values, or none, for this file of tests until it is disposed: those of the process belong
 * to the other files as well, which run at the same time.
 */
export function withVariables(given: Readonly<Record<string, string | undefined>>): Disposable {
  const before = io();
  const values = { ...given };
  const env: Io["env"] = {
    get: (name) => Object.hasOwn(values, name) ? values[name] : before.env.get(name),
    set: (name, value) => void (values[name] = value),
    toObject: () => {
      const all = Object.entries({ ...before.env.toObject(), ...values });
      return Object.fromEntries(all.flatMap(([name, value]) => {
        return value === undefined ? [] : [[name, value]];
      }));
    },
  };
  return withIo({ env });
}

/** Changes the working directory for this file of tests until it is disposed. */
export function withDirectory(path: string): Disposable {
  return withIo({ cwd: () => path });
}

/** Gives this file of tests parts of another `Io` until it is disposed. */
function withIo(parts: Partial<Io>): Disposable {
  const before = io();
  setIo(Object.create(before, Object.getOwnPropertyDescriptors(parts)));
  return { [Symbol.dispose]: () => void setIo(before) };
}
