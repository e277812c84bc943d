/**
 * Tells a person what this process waits for, without a parameter in every signature: what takes long is wrapped in
 * {@linkcode watch}, and a command at a terminal sets the watcher that shows it. Without one nothing is shown.
 */

/** Work that a person may have to wait for. */
export interface WatchedWork<T> {
  /** The verb, such as `connecting to`. */
  readonly verb: string;
  /** The thing that is worked on. */
  readonly subject: string;
  /** Describes the result in a few words; absent: nothing is said at the end. */
  readonly summary?: ((result: T) => string) | undefined;
}

/** Shows work while it runs. */
type Watcher = <T>(work: WatchedWork<T>, run: () => Promise<T>) => Promise<T>;

const runUnwatched: Watcher = (_work, run) => run();

let watcher: Watcher = runUnwatched;

/** Sets who shows the work that starts from now on; `undefined`: it is not shown. */
export function setWatcher(to: Watcher | undefined): void {
  watcher = to ?? runUnwatched;
}

/** Runs `run`, and shows that it runs. */
export function watch<T>(work: WatchedWork<T>, run: () => Promise<T>): Promise<T> {
  return watcher(work, run);
}
