/** Opens the approvals of a person: a file, or with `--state` the store of all instances. */

import type { Approvals, Approver } from "../call/approvals.ts";
import { FileError, messageOf, UsageError } from "../errors.ts";
import { ancestors, markVariable } from "../exec/processes.ts";
import { log } from "../log.ts";
import { loginsFolder } from "../process/folders.ts";
import { climax, isClimax } from "../process/own_command.ts";
import type { HttpFlags } from "./http_options.ts";
import type { SharedStore } from "../state/store.ts";
import { optionalVariable } from "../io.ts";

type StoreFlags = Pick<HttpFlags, "state" | "signingKey">;

export async function openApprovalsOf({ state, signingKey }: StoreFlags): Promise<Approvals> {
  if (state === undefined) return await openApprovals();
  if (signingKey === undefined) throw new UsageError("--state requires --signing-key");
  const { openSharedState } = await import("../state/shared_state.ts");
  return await openApprovals((await openSharedState(state, signingKey)).store);
}

async function openApprovals(store?: SharedStore): Promise<Approvals> {
  const { Approvals } = await import("../call/approvals.ts");
  if (store !== undefined) return new Approvals(store, () => store.generation ?? "");
  const folder = loginsFolder();
  try {
    if (folder === undefined) throw new Error("No folder is known: set HOME or CLIMAX_STATE_DIR");
    const { FileStore } = await import("../state/file_store.ts");
    return new Approvals(await FileStore.open(folder, "approvals"));
  } catch (error) {
    const message = `The file of approvals cannot be used: ${messageOf(error)}`;
    throw new FileError("Nothing can wait for a person", { message });
  }
}

export function approvalsOpener(
  closing: AsyncDisposableStack,
  store?: SharedStore,
): () => Promise<Approvals | undefined> {
  let opened: Promise<Approvals | undefined> | undefined;
  return () =>
    opened ??= openApprovals(store).then((approvals) => {
      if (store === undefined) closing.defer(() => approvals.close());
      return approvals;
    }, (error) => {
      log("warning", `${messageOf(error)}: calls that ask are refused by clients that cannot ask`);
      return undefined;
    });
}

/**
 * Refuses to approve a call if an agent may have started this process; `pids` are processes that serve agents.
 * @throws {UsageError}
 */
export async function refuseCalled(pids: readonly number[]): Promise<void> {
  const above = Deno.build.os === "windows" ? [] : await ancestors();
  if (above === undefined) {
    throw new UsageError(
      "Cannot see what started this command, which may be an agent",
      `It needs /proc or ps; or use the page of ${climax()} ui`,
    );
  }
  const isCalled = optionalVariable(markVariable) !== undefined || above.some((each) => {
    if (each.isMarked || pids.includes(each.pid)) return true;
    return isClimax(each.words) && !/(?:^|[\s'"])approve(?:[\s'"]|$)/.test(each.words.join(" "));
  });
  if (!isCalled) return;
  throw new UsageError("A program that an agent has called approves nothing", "Ask a person");
}

export function approver(how: Approver["how"]): Approver {
  return { by: optionalVariable("USER") || optionalVariable("USERNAME") || "unknown", how };
}
