/** What a sandbox leaves open, as the audit log, dry runs, lists and the page have it. */

export interface SandboxRecord {
  /** Paths, in addition to a temporary folder. */
  readonly write: readonly string[];
  /** Absent: everything that is not hidden. */
  readonly read?: readonly string[];
  /** In addition to keys and credentials. */
  readonly hide?: readonly string[];
  readonly network: "none" | "host";
}

export function sandboxWords({ write, read, hide, network }: SandboxRecord): string {
  return [
    write.length === 0 ? "writes nowhere" : `writes in ${write.join(", ")}`,
    ...(read === undefined ? [] : [`reads the system and ${read.join(", ") || "nothing else"}`]),
    ...(hide === undefined ? [] : [`does not see ${hide.join(", ")}`]),
    network === "none" ? "no network" : "network",
  ].join("; ");
}
