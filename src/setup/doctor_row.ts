/** What `climax doctor` says of one thing. */

import { formatProblem, type Problem } from "../errors.ts";

/** How bad something is. */
export type State = "ok" | "warning" | "problem";

/** One thing that was looked at. What is not well has its remedy. */
export type DoctorRow =
  & Looked
  & (
    | { readonly state: "ok" }
    | { readonly state: Exclude<State, "ok">; readonly remedy: string }
  );

interface Looked {
  readonly about:
    | "config"
    | "program"
    | "permission"
    | "policy"
    | "docker"
    | "server"
    | "client"
    | "file";
  readonly subject: string;
  readonly message: string;
}

/** A message with what to do about it. */
export interface Remedied {
  readonly message: string;
  readonly remedy: string;
}

/** What `problems` come to in a finding on `subject`; a hint that one has alone is its remedy. */
export function remedied(
  subject: string,
  problems: readonly Problem[],
  otherwise: string,
): Remedied {
  // What the finding is about need not be said again
  const named = problems.map(({ file, ...problem }): Problem => {
    return file === undefined || file === subject && problem.line === undefined
      ? problem
      : { file, ...problem };
  });
  const [{ hint = otherwise, ...only } = { message: "" }, ...others] = named;
  if (others.length === 0) return { message: formatProblem(only), remedy: hint };
  return { message: named.map(formatProblem).join("\n"), remedy: otherwise };
}

/** Takes a finding as soon as it is there. */
export type Reporter = (finding: DoctorRow) => Promise<void>;
