/** Bounds on what upstream servers may take: times in milliseconds, lengths in characters. See `docs/servers.md`. */

export const maxMessageBytes = 32 * 1024 * 1024;

export const maxTools = 2000;
export const maxPages = 500;
/** The greatest length of one tool's definition, of all definitions of one server, and of those of all servers. */
export const maxDefinitionLength = 256 * 1024;
export const maxDefinitionsLength = 4 * 1024 * 1024;
export const maxAllDefinitionsLength = 16 * 1024 * 1024;
export const maxDescriptionLength = 20_000;

/** The greatest number of prompts of one server; its resources, and its resource templates, may be as many. */
export const maxFeatures = 2000;
export const maxFeatureLength = 64 * 1024;
export const maxFeaturesLength = 2 * 1024 * 1024;
export const maxAllFeaturesLength = 16 * 1024 * 1024;
export const listFeaturesMs = 10_000;

/** A server has this time to connect, and as much again to list its tools. */
export const connectMs = 30_000;
/** A program that never answered has this time to connect: `npx -y` and `uvx` may install it first. */
export const firstConnectMs = 5 * 60_000;
/** If a program does not answer in this time whether it speaks MCP 2026-07-28, climax tries an older version. */
export const probeMs = 5_000;
/** After a second failure in a row, climax waits this long before it connects again, then twice as long, and so on. */
export const firstBackoffMs = 1_000;
export const maxBackoffMs = 60_000;
/** After a failed request for the list of tools, climax waits this long to repeat it, then twice as long, and so on. */
export const firstRetryMs = 5_000;
export const maxRetryMs = 5 * 60_000;
export const loginPollMs = 2_000;
/** A server may report changes of tools or resources all the time, so climax acts at most once in this time. */
export const refetchMs = 200;

export const maxInFlight = 256;
/** A call ends after this time, even if the server still reports progress. */
export const maxCallMs = 30 * 60 * 1000;
export const maxQuestions = 10;
export const maxQuestionLength = 2000;
/** The greatest length of a form that a server shows a person, as JSON, and of a web address that it asks to open. */
export const maxFormLength = 20_000;
export const maxProgressLength = 500;
export const progressMs = 100;

/** A resource may have 12 MiB of binary data, which are this long in base64. */
export const maxBlobLength = 16 * 1024 * 1024;
export const maxHostBytes = 16 * 1024 * 1024;
/** MCP allows at most 100 suggestions for one argument. */
export const maxCompletions = 100;
export const maxCompletionLength = 1000;

export const maxLogLength = 10_000;
export const maxLogsPerSecond = 100;
export const maxSubscribed = 500;
