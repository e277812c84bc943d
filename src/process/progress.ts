/** Lets a person see that the process is waiting for long work, such as the start of an MCP server. */

export interface WatchedWork<T> {
  readonly verb: string;
  readonly subject: string;
  /** Describes the result of the work to the person, in a few words. @default the person does not see the end */
  readonly summary?: ((result: T) => string) | undefined;
}

type Watcher = <T>(work: WatchedWork<T>, run: () => Promise<T>) => Promise<T>;

const runUnwatched: Watcher = (_work, run) => run();

let watcher: Watcher = runUnwatched;

export function setWatcher(to: Watcher | undefined): void {
  watcher = to ?? runUnwatched;
}

export function watch<T>(work: WatchedWork<T>, run: () => Promise<T>): Promise<T> {
  return watcher(work, run);
}
