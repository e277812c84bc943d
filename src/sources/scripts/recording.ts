/** What a script asked for and was answered, with results as the script saw them, so that a test can replay it. */

import * as z from "zod";
import { FileError } from "../../errors.ts";
import { readDocument } from "../../files/document.ts";
import { readTextFile } from "../../files/text_file.ts";
import { canonicalJson } from "../../text/canonical_json.ts";
import { excerpt } from "../../text/excerpt.ts";
import type { RoomAnswer } from "./_thread.ts";
import type { RoomRequest } from "./room.ts";

type Answer = Omit<RoomAnswer, "id">;

const answerSchema = z.strictObject({
  kind: z.enum(["call", "search"]),
  request: z.record(z.string(), z.unknown()),
  isError: z.boolean(),
  text: z.string(),
  data: z.unknown().optional(),
  now: z.number(),
});

const recordingSchema = z.strictObject({
  version: z.literal(1),
  seed: z.number(),
  now: z.number(),
  /** The value of `input`. */
  input: z.unknown().optional(),
  answers: z.array(answerSchema),
  result: z.string(),
});

/** A file that `--record` wrote. */
export type Recording = z.infer<typeof recordingSchema>;

/** What a run takes from outside of its room, and what comes of it. */
export interface Tape {
  /** The values that a run starts with; absent: its own. */
  readonly start?: { readonly seed: number; readonly now: number };
  onStart?(start: { readonly seed: number; readonly now: number }): void;
  /** Answers a request, perhaps by `make`. */
  answer(request: RoomRequest, make: () => Promise<Answer>): Promise<Answer>;
}

/** Records one run. */
export class Recorder implements Tape {
  readonly #answers: Recording["answers"] = [];
  #start = { seed: 0, now: 0 };

  onStart(start: { readonly seed: number; readonly now: number }): void {
    this.#start = start;
  }

  async answer({ kind, text }: RoomRequest, make: () => Promise<Answer>): Promise<Answer> {
    const { data, ...given } = await make();
    const request = JSON.parse(text);
    const parsed = data === undefined ? {} : { data: JSON.parse(data) as unknown };
    this.#answers.push({ kind, request, ...given, ...parsed });
    return { ...given, data };
  }

  /** The recording of the run with `input` that ended with `result`. */
  end(result: string, input: unknown): Recording {
    const given = input === undefined ? {} : { input };
    return { version: 1, ...this.#start, ...given, answers: this.#answers, result };
  }
}

/** Answers from a recording: equal requests in their order, and no other. */
export class Player implements Tape {
  readonly start: { readonly seed: number; readonly now: number };
  readonly #answers: Map<string, Recording["answers"]>;

  constructor({ answers, seed, now }: Recording) {
    this.start = { seed, now };
    this.#answers = Map.groupBy(answers, ({ kind, request }) => keyOf(kind, request));
  }

  answer({ kind, text }: RoomRequest): Promise<Answer> {
    const found = this.#answers.get(keyOf(kind, JSON.parse(text)))?.shift();
    if (found === undefined) {
      const reason = `The recording has no answer to this ${kind}: ${excerpt(text, 500)}`;
      return Promise.resolve({ isError: true, text: reason, now: this.start.now });
    }
    const { data, isError, text: answer, now } = found;
    const json = data === undefined ? undefined : JSON.stringify(data);
    return Promise.resolve({ isError, text: answer, data: json, now });
  }
}

function keyOf(kind: string, request: unknown): string {
  return `${kind} ${canonicalJson(request)}`;
}

/** @throws {ClimaxError} when the file cannot be read, or is no recording */
export async function readRecording(path: string): Promise<Recording> {
  const file = await readTextFile(path);
  if (!file.ok) {
    const hint = "climax script run FILE --record FILE writes one";
    throw new FileError("There is no recording", { hint, ...file.problem });
  }
  const read = await readDocument(path, file.text, recordingSchema);
  if (read.ok) return read.value;
  throw new FileError("The recording is wrong", ...read.problems);
}
