/** What `climax doctor` says of one thing. */

/** How bad something is. */
export type State = "ok" | "warning" | "problem";

/** One thing that was looked at. */
export interface Finding {
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
  readonly state: State;
  readonly message: string;
  readonly remedy?: string;
}

/** Takes a finding as soon as it is there. */
export type Tell = (finding: Finding) => Promise<void>;
