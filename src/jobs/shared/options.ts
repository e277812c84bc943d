/** Options of what instances share. */

import type { Clock } from "../../async/clock.ts";
import type { SharedStore, WhenDown } from "../../state/store.ts";

export interface SharedOptions {
  readonly store: SharedStore;
  /** Part of the owner of everything: clients of the same name in another scope have other ids. @default none */
  readonly scope?: string;
  /** While the store is down: nothing new is begun or stored, or only this instance knows it. */
  readonly whenDown: WhenDown;
  /** @default {@linkcode systemClock} */
  readonly clock?: Clock;
}
