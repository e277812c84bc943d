/** Defines one finding of `climax doctor`. */

import { formatProblem, type Problem } from "../errors.ts";

/** A finding; if something should be changed, it has a remedy. A `note` concerns something that was not asked for. */
export type DoctorRow =
  & Looked
  & (
    | { readonly state: "ok" | "note" }
    | { readonly state: "warning" | "problem"; readonly remedy: string }
  );

interface Looked {
  readonly about:
    | "config"
    | "program"
    | "permission"
    | "policy"
    | "docker"
    | "sandbox"
    | "server"
    | "client"
    | "file";
  readonly subject: string;
  readonly message: string;
}

/** Joins `problems` to one finding about `subject`; the hint of a single problem is the remedy. */
export function addRemedy(subject: string, problems: readonly Problem[], otherwise: string) {
  // The finding already names its subject
  const named = problems.map(({ file, ...problem }): Problem => {
    return file === undefined || file === subject && problem.line === undefined
      ? problem
      : { file, ...problem };
  });
  const [{ hint = otherwise, ...only } = { message: "" }, ...others] = named;
  if (others.length === 0) return { message: formatProblem(only), remedy: hint };
  return { message: named.map(formatProblem).join("\n"), remedy: otherwise };
}

/** Receives each finding immediately. */
export type Reporter = (finding: DoctorRow) => Promise<void>;
