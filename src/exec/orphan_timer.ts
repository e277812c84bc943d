/** Looks for orphans shortly after the start; until then nothing of that is loaded. */

import { trackBackground } from "./background_work.ts";
import type { OrphanScanOptions } from "./orphans.ts";

/** Milliseconds after the start of serving, so that the first answers do not wait. */
const surveyAfterMs = 250;

/** Scans shortly after the start. Returns a function that cancels this. */
export function scheduleOrphanScan(options: OrphanScanOptions): () => void {
  const timer = setTimeout(() => trackBackground(scan(options)), surveyAfterMs);
  return () => clearTimeout(timer);
}

async function scan(options: OrphanScanOptions): Promise<void> {
  const { scanOrphans } = await import("./orphans.ts");
  await scanOrphans(options);
}
