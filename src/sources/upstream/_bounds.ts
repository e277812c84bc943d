/** Bounds on upstream servers: memory that they use and time that they take. `docs/servers.md` names each. */

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

/** A program that was never seen has this many milliseconds to connect, as `npx -y` or `uvx` may have to install it. */
export const firstConnectMs = 5 * 60_000;

/** Milliseconds after which a log line says that a first start takes long. */
export const noticeMs = 10_000;

/** A start waits this many milliseconds for a server that failed twice lately; its tools join when it answers. */
export const failedWaitMs = 5_000;

/** A program has this many milliseconds to say which protocol it speaks; then `initialize` is sent too. */
export const probeMs = 5_000;

/** A call takes at most this many milliseconds, with any amount of progress. */
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

/** The first delay of a connect after repeated failures has this many milliseconds; each later one doubles. */
export const firstBackoffMs = 1_000;

/** The delay of a connect has at most this many milliseconds. */
export const maxBackoffMs = 60_000;

/** A failed list of tools is requested again after this many milliseconds; each later delay is twice as long. */
export const firstRetryMs = 5_000;

/** The delay of a request for a failed list has at most this many milliseconds. */
export const maxRetryMs = 5 * 60_000;

/** A server that needs a login is checked for one every so many milliseconds. */
export const loginPollMs = 2_000;

/** Milliseconds from a report of changed tools to the request for the list, and between two reports on one resource. */
export const refetchMs = 200;

/** A server gets at most this many concurrent calls. */
export const maxInFlight = 256;

/** A server may have at most this many prompts, as many resources, and as many templates. */
export const maxFeatures = 2000;

/** The definition of a prompt, resource or template has at most this many characters as JSON. */
export const maxFeatureLength = 64 * 1024;

/** The prompts of one server have at most this many characters in all; so have its resources, and its templates. */
export const maxFeaturesLength = 2 * 1024 * 1024;

/** The prompts, resources and templates of all servers have at most this many characters in all. */
export const maxAllFeaturesLength = 16 * 1024 * 1024;

/** A server has this many milliseconds to list its prompts, resources and templates. */
export const listFeaturesMs = 10_000;

/** A binary resource has at most this many characters in base64: 12 MiB of data. */
export const maxBlobLength = 16 * 1024 * 1024;

/** The page of an App, or a file of a skill, has at most this many bytes. */
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
