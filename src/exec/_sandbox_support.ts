/** What the check of each system finds out about its sandboxes. */

/** What holds programs on this machine, or why nothing does. */
export type Support =
  | {
    readonly ok: true;
    readonly kind: "bubblewrap" | "seatbelt";
    /** As `bubblewrap 0.8.0`. */
    readonly name: string;
    /** The words before those of the sandbox, the path of what makes it last. */
    readonly start: readonly [string, ...string[]];
  }
  | { readonly ok: false; readonly reason: string; readonly hint: string };
