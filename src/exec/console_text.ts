/** Converts the output of programs that write in a code page of Windows and not in UTF-8. */

import { Buffer, isUtf8 } from "node:buffer";
import { mediaTypeOf } from "./binary.ts";
import { ask } from "./ask_program.ts";
import { codePageDecoder, type StreamDecoder } from "../text/code_page.ts";
import { endWithin } from "../text/lines.ts";
import { optionalVariable } from "../io.ts";

let known: Promise<(() => StreamDecoder) | undefined> | undefined;

export function consoleDecoder(): Promise<(() => StreamDecoder) | undefined> {
  return known ??= codePage().then((page) =>
    page === undefined ? undefined : codePageDecoder(page)
  );
}

/** Returns the number of the Windows code page, which `chcp` prints, or without a console the registry has. */
async function codePage(): Promise<number | undefined> {
  const shell = optionalVariable("COMSPEC") || "cmd.exe";
  const registry = "reg query HKLM\\SYSTEM\\CurrentControlSet\\Control\\Nls\\CodePage /v ACP";
  for (const line of ["chcp", registry]) {
    const { stdout } = await ask(shell, ["/d", "/c", ...line.split(" ")]);
    const page = Number(stdout.match(/\d+/g)?.at(-1) ?? 0);
    if (page > 0) return page;
  }
  return undefined;
}

/** Converts a stream to UTF-8, beginning with the first chunk that is not UTF-8; a binary stream stays as it is. */
export class ConsoleText {
  readonly #decoder: StreamDecoder;
  #state: "UTF-8" | "code page" | "binary" | undefined;
  #rest: Uint8Array = new Uint8Array();

  constructor(decoder: StreamDecoder) {
    this.#decoder = decoder;
  }

  convert(chunk: Uint8Array): Uint8Array {
    if (this.#state === "binary") return chunk;
    if (this.#state === "code page") return this.#decode(chunk);
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const isBinary = bytes.includes(0) ||
      this.#state === undefined && mediaTypeOf(bytes) !== undefined;
    this.#rest = new Uint8Array();
    if (isBinary) {
      this.#state = "binary";
      return bytes;
    }
    const end = endWithin(bytes);
    if (isUtf8(bytes.subarray(0, end))) {
      this.#state = "UTF-8";
      this.#rest = bytes.slice(end);
      return bytes.subarray(0, end);
    }
    this.#state = "code page";
    return this.#decode(bytes);
  }

  end(): Uint8Array {
    return this.#decode(this.#rest, false);
  }

  #decode(bytes: Uint8Array, stream = true): Uint8Array {
    return new TextEncoder().encode(this.#decoder.decode(bytes, { stream }));
  }
}
