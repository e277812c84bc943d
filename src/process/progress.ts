/** Tells a person what this process waits for: what takes long is wrapped in {@linkcode watch}. */

export interface WatchedWork<T> {
  /** The verb, such as `connecting to`. */
  readonly verb: string;
  readonly subject: string;
  /** Describes the result in a few words; absent: nothing is said at the end. */
  readonly summary?: ((result: T) => string) | undefined;
}

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
