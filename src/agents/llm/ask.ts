/** Asks for a secret at the terminal, which does not show what is typed. */

import { io } from "../../io.ts";

/** Most characters of an answer. */
const maxLength = 10_000;

/** Returns a function that asks; nothing if stdin or stderr is no terminal. */
export function askWithoutEcho(): ((question: string) => Promise<string | undefined>) | undefined {
  return io().stdin.isTerminal() && io().stderr.isTerminal() ? askHidden : undefined;
}

/** Returns the typed line; nothing after Ctrl-C or Ctrl-D. */
async function askHidden(question: string): Promise<string | undefined> {
  const write = (text: string) => io().stderr.writeSync(new TextEncoder().encode(text));
  write(question);
  io().stdin.setRaw(true, { cbreak: false });
  try {
    return await readHidden();
  } finally {
    io().stdin.setRaw(false);
    write("\n");
  }
}

async function readHidden(): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(1024);
  let line = "";
  while (line.length < maxLength) {
    const length = await io().stdin.read(chunk);
    if (length === null) return undefined;
    for (const character of decoder.decode(chunk.subarray(0, length), { stream: true })) {
      switch (character) {
        case "\r":
        case "\n":
          return line;
        case "\x03":
        case "\x04":
          return undefined;
        case "\b":
        case "\x7f":
          line = [...line].slice(0, -1).join("");
          break;
        default:
          line += character;
      }
    }
  }
  return undefined;
}
