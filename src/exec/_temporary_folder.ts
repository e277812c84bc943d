/** A temporary folder for one call in a sandbox that has no `/tmp` of its own. */

import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { SandboxError } from "./_found_paths.ts";
import type { CreatedName } from "./invocation.ts";
import type { SandboxEnd } from "./process_tree.ts";

export class TemporaryFolder implements SandboxEnd {
  readonly endsProcesses = false;
  /** Absolute, links resolved. */
  readonly path: string;

  /** @throws {SandboxError} */
  constructor() {
    try {
      this.path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "climax-" }));
    } catch (error) {
      throw new SandboxError(`no temporary folder can be made: ${messageOf(error)}`);
    }
  }

  endCall(): readonly CreatedName[] {
    this.remove();
    return [];
  }

  endServer(): void {
    this.remove();
  }

  remove(): void {
    try {
      Deno.removeSync(this.path, { recursive: true });
    } catch (error) {
      log("warning", `The temporary folder '${this.path}' cannot be removed: ${messageOf(error)}`);
    }
  }
}
