/** Default bounds of `climax generate`, apart from the code that asks programs. */

/** Levels of subcommands below the given command: `gcloud compute instances list` has three. */
export const defaultDepth = 3;

/** Commands that are asked for help: enough for gh, docker and kubectl, not for a cloud. */
export const defaultMaxCommands = 300;

/** Twenty seconds: some programs start a virtual machine before they say anything. */
export const defaultHelpTimeoutMs = 20_000;

/** Options of each command with `--brief`. */
export const briefCount = 8;
