/** Bounds on the memory and the time that upstream servers may take. `docs/servers.md` names each. */

/** A message of a server has at most this many bytes, 32 MiB. A larger one closes the connection. */
export const maxMessageBytes = 32 * 1024 * 1024;

/** A server may have at most this many tools. */
export const maxTools = 2000;

/** At most this many pages of a server's list of tools are requested. */
export const maxPages = 500;

/** The definition of a tool has at most this many characters as JSON. */
export const maxDefinitionLength = 256 * 1024;

/** All definitions of tools of one server have at most this many characters. */
export const maxDefinitionsLength = 4 * 1024 * 1024;

/** All definitions of tools of all servers have at most this many characters. */
export const maxAllDefinitionsLength = 16 * 1024 * 1024;

/** The description of a server has at most this many characters. */
export const maxDescriptionLength = 20_000;

/** A server has this many milliseconds to connect, and as many again to list its tools. */
export const connectMs = 30_000;

/** A program that never answered has this many milliseconds to connect: `npx -y` and `uvx` may install it first. */
export const firstConnectMs = 5 * 60_000;

/** After this many milliseconds of a first start, a log line says that it takes long. */
export const noticeMs = 10_000;

/** A start waits this many milliseconds for a server that failed twice lately; its tools are added when it answers. */
export const failedWaitMs = 5_000;

/** A program has this many milliseconds to answer the probe for its protocol; then `initialize` is sent too. */
export const probeMs = 5_000;

/** A call ends after this many milliseconds, even if the server still reports progress. */
export const maxCallMs = 30 * 60 * 1000;

/** A server may ask the user at most this many questions in one call. */
export const maxQuestions = 10;

/** A question to the user has at most this many characters. */
export const maxQuestionLength = 2000;

/** A form of a question as JSON, or the address of its page, has at most this many characters. */
export const maxFormLength = 20_000;

/** A progress message has at most this many characters. */
export const maxProgressLength = 500;

/** Two progress messages are at least this many milliseconds apart. */
export const progressMs = 100;

/** The pause before a server is connected again after repeated failures, in milliseconds; each later pause doubles. */
export const firstBackoffMs = 1_000;

/** The pause before a server is connected again has at most this many milliseconds. */
export const maxBackoffMs = 60_000;

/** A failed request for the list of tools is repeated after this many milliseconds; each later pause doubles. */
export const firstRetryMs = 5_000;

/** The pause before a failed request for the list of tools is repeated has at most this many milliseconds. */
export const maxRetryMs = 5 * 60_000;

/** A server that needs a login is checked for a new login at intervals of this many milliseconds. */
export const loginPollMs = 2_000;

/** Milliseconds from a report of changed tools to the request for the list, and between two reports of a resource. */
export const refetchMs = 200;

/** A server gets at most this many concurrent calls. */
export const maxInFlight = 256;

/** A server may have at most this many prompts, as many resources, and as many templates. */
export const maxFeatures = 2000;

/** The definition of a prompt, resource or template has at most this many characters as JSON. */
export const maxFeatureLength = 64 * 1024;

/** The prompts of a server have at most this many characters together, and so have its resources and its templates. */
export const maxFeaturesLength = 2 * 1024 * 1024;

/** The prompts, resources and templates of all servers have at most this many characters together. */
export const maxAllFeaturesLength = 16 * 1024 * 1024;

/** A server has this many milliseconds to list its prompts, resources and templates. */
export const listFeaturesMs = 10_000;

/** A binary resource has at most this many characters in base64: 12 MiB of data. */
export const maxBlobLength = 16 * 1024 * 1024;

/** The HTML page of an App, or a file of a skill, has at most this many bytes. */
export const maxHostBytes = 16 * 1024 * 1024;

/** A completion has at most this many values (MCP: 100), and a value at most this many characters. */
export const maxCompletions = 100;
export const maxCompletionLength = 1000;

/** The data of a log message have at most this many characters as JSON. */
export const maxLogLength = 10_000;

/** At most this many log messages of one server are passed on in a second. */
export const maxLogsPerSecond = 100;

/** At most this many resources of one server are subscribed to. */
export const maxSubscribed = 500;
