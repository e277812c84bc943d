/** Shows a person which long work this process waits for: such work is wrapped in {@linkcode watch}. */

export interface WatchedWork<T> {
  /** The verb, such as `connecting to`. */
  readonly verb: string;
  readonly subject: string;
  /** Describes the result in a few words; absent: the end is not shown. */
  readonly summary?: ((result: T) => string) | undefined;
}

type Watcher = <T>(work: WatchedWork<T>, run: () => Promise<T>) => Promise<T>;

const runUnwatched: Watcher = (_work, run) => run();

let watcher: Watcher = runUnwatched;

/** Sets the function that shows later work; `undefined`: work is not shown. */
export function setWatcher(to: Watcher | undefined): void {
  watcher = to ?? runUnwatched;
}

export function watch<T>(work: WatchedWork<T>, run: () => Promise<T>): Promise<T> {
  return watcher(work, run);
}
