/** Reads the output of tests on Windows: the outcome of each file, and reasons for failures and ignored tests. */

/** A test that did not pass. */
export interface Outcome {
  readonly name: string;
  /** Absent: the failure has no known reason. */
  readonly reason?: string;
  /** The first line of the error. */
  readonly error?: string;
}

export interface FileReport {
  readonly file: string;
  readonly passed: number;
  readonly failed: readonly Outcome[];
  readonly ignored: readonly Outcome[];
}

/** Programs that come with Windows, or with the shell of Git for Windows. */
const otherPrograms = "tar|sh|ls|sleep|head|seq|touch|env|pwd";

/** Why a test can fail under Wine though the program does as it should, by the text of its error. */
export const explanations: readonly (readonly [error: RegExp, reason: string])[] = [
  [
    new RegExp(
      `(?:Command not found: |Failed to spawn '|[Pp]rogram '?)(?:${otherPrograms})\\b|'(?:${otherPrograms})' is not on PATH`,
    ),
    "it runs a program of Windows, or of the shell of Git for Windows, that is not in the setup",
  ],
];

const outcomeLine =
  /^(\S.*?) \.\.\. (ok|FAILED|ignored)\b.*\((?:\d+(?:\.\d+)?)?(?:µs|ms|s|m\d*s?).*\)$/;

/** Reads what `deno test` printed for one file. */
export function readReport(file: string, text: string, missing: string): FileReport {
  const wants = [...new Set(missing.split("\n").filter((name) => name !== ""))];
  const ignoredFor = wants.length > 0
    ? `without ${wants.join(", ")}, or a test of Unix`
    : "a test of Unix: links, modes, signals or a shell";
  let passed = 0;
  const ignored: Outcome[] = [];
  const failed: Outcome[] = [];
  for (const line of text.replaceAll("\r", "").split("\n")) {
    const [, name, outcome] = outcomeLine.exec(line) ?? [];
    if (outcome === "ok") passed++;
    else if (outcome === "ignored") ignored.push({ name: name!, reason: ignoredFor });
    else if (outcome === "FAILED") failed.push(failureOf(name!, text));
  }
  const ended = /^exit code (\d+)$/m.exec(text)?.[1];
  if (ended !== "0" && failed.length === 0) {
    // No process of Windows ends so
    const isWine = ended === "139" && /^ok \| \d+ passed/m.test(text);
    const name = "the file itself";
    failed.push(
      isWine ? { name, reason: "Wine broke after the last test" } : failureOf(name, text),
    );
  }
  return { file, passed, failed, ignored };
}

/** A failed test, with the reason that its error has. */
function failureOf(name: string, text: string): Outcome {
  const start = text.indexOf(`\n${name} => `);
  const end = text.indexOf("\n\n", start + 1);
  const error = start < 0 ? text.slice(-2000) : text.slice(start, end < 0 ? undefined : end);
  const [, reason] = explanations.find(([pattern]) => pattern.test(error)) ?? [];
  const first = /^error: (.*)$/m.exec(error)?.[1] ?? error.trim().split("\n").at(-1) ?? "";
  return { name, error: first, ...(reason === undefined ? {} : { reason }) };
}

/** A line for each test that did not pass, and the counts. */
export function summaryLines(reports: readonly FileReport[]): string[] {
  const count = (of: (report: FileReport) => number) => {
    return reports.reduce((sum, report) => sum + of(report), 0);
  };
  const explained = count(({ failed }) => failed.filter(({ reason }) => reason).length);
  return [
    ...reports.flatMap(({ file, ignored, failed }) => [
      ...ignored.map(({ name, reason }) => `ignored: ${file}: ${name} (${reason})`),
      ...failed.map(({ name, reason, error }) =>
        reason === undefined
          ? `FAILED: ${file}: ${name}: ${error}`
          : `failed, as expected: ${file}: ${name} (${reason})`
      ),
    ]),
    `${count(({ passed }) => passed)} passed, ${
      count(({ failed }) => failed.length) - explained
    } failed, ${explained} failed as explained, ${count(({ ignored }) => ignored.length)} ignored`,
  ];
}
