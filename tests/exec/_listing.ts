/** Processes as a listing has them. */

import type { Process } from "../../src/exec/processes.ts";

/** A process of an own group and session, without a mark. */
export function listed(pid: number, rest: Partial<Process> = {}): Process {
  return {
    pid,
    parent: 1,
    group: pid,
    session: pid,
    hasTerminal: false,
    name: "sleep",
    marks: [],
    ...rest,
  };
}
