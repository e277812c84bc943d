/** Bounds on what upstream servers may take: times in milliseconds, lengths in characters. See `docs/servers.md`. */

export const maxMessageBytes = 32 * 1024 * 1024;

export const maxTools = 2000;
export const maxPages = 500;
/** These bounds hold for one definition of a tool, for all definitions of a server, and for those of all servers. */
export const maxDefinitionLength = 256 * 1024;
export const maxDefinitionsLength = 4 * 1024 * 1024;
export const maxAllDefinitionsLength = 16 * 1024 * 1024;
export const maxDescriptionLength = 20_000;

/** These bounds hold for prompts, for resources and for templates; the last one holds for all of all servers. */
export const maxFeatures = 2000;
export const maxFeatureLength = 64 * 1024;
export const maxFeaturesLength = 2 * 1024 * 1024;
export const maxAllFeaturesLength = 16 * 1024 * 1024;
export const listFeaturesMs = 10_000;

/** A server has this time to connect, and again to list its tools. */
export const connectMs = 30_000;
/** A program that never answered has this time to connect: `npx -y` and `uvx` may install it first. */
export const firstConnectMs = 5 * 60_000;
/** A program has this time to answer the probe for its protocol; then `initialize` is sent too. */
export const probeMs = 5_000;
/** A server that has failed repeatedly is connected again after this pause; each later pause doubles. */
export const firstBackoffMs = 1_000;
export const maxBackoffMs = 60_000;
/** A failed request for the list of tools is repeated after this pause; each later pause doubles. */
export const firstRetryMs = 5_000;
export const maxRetryMs = 5 * 60_000;
export const loginPollMs = 2_000;
/** A list is requested this long after a report of changed tools; two reports of a resource are as far apart. */
export const refetchMs = 200;

export const maxInFlight = 256;
/** A call ends after this time, even if the server still reports progress. */
export const maxCallMs = 30 * 60 * 1000;
export const maxQuestions = 10;
export const maxQuestionLength = 2000;
/** This bound holds for a form as JSON, and for the address of a page that a person is asked to open. */
export const maxFormLength = 20_000;
export const maxProgressLength = 500;
export const progressMs = 100;

/** A binary resource has at most 12 MiB of data, which are this long in base64. */
export const maxBlobLength = 16 * 1024 * 1024;
export const maxHostBytes = 16 * 1024 * 1024;
/** MCP allows 100 values of a completion. */
export const maxCompletions = 100;
export const maxCompletionLength = 1000;

export const maxLogLength = 10_000;
export const maxLogsPerSecond = 100;
export const maxSubscribed = 500;
