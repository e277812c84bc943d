/** Bounds on upstream servers: memory that they use and time that they take. `docs/servers.md` names each. */

/** Most bytes of a message, 32 MiB. Beyond that, the connection is closed. */
export const maxMessageBytes = 32 * 1024 * 1024;

/** Most tools of one server. */
export const maxTools = 2000;

/** Most pages of its list of tools. */
export const maxPages = 500;

/** Most characters of one definition as JSON. */
export const maxDefinitionLength = 256 * 1024;

/** Most characters of all definitions of one server. */
export const maxDefinitionsLength = 4 * 1024 * 1024;

/** Most characters of all definitions of all servers. */
export const maxAllDefinitionsLength = 16 * 1024 * 1024;

/** Most characters of the description of a server. */
export const maxDescriptionLength = 20_000;

/** Timeout of the connect, and again of the list of tools, in milliseconds. */
export const connectMs = 30_000;

/** Timeout of the first connect of a program that was never seen, which `npx -y` or `uvx` may have to install. */
export const firstConnectMs = 5 * 60_000;

/** Milliseconds after which a log line says that a first start takes long. */
export const noticeMs = 10_000;

/** Milliseconds that a start waits for a server that failed twice lately; its tools join when it answers. */
export const failedWaitMs = 5_000;

/** Milliseconds for an answer of a program about the protocol; without one, `initialize` is sent too. */
export const probeMs = 5_000;

/** Most milliseconds of a call, with any amount of progress. */
export const maxCallMs = 30 * 60 * 1000;

/** Most questions of one call to the user. */
export const maxQuestions = 10;

/** Most characters of a question. */
export const maxQuestionLength = 2000;

/** Most characters of a form as JSON, or of the address of a page. */
export const maxFormLength = 20_000;

/** Most characters of a progress message. */
export const maxProgressLength = 500;

/** Least milliseconds between two progress messages. */
export const progressMs = 100;

/** First delay, in milliseconds, of a connect after repeated failures; it doubles. */
export const firstBackoffMs = 1_000;

/** Longest such delay. */
export const maxBackoffMs = 60_000;

/** First delay, in milliseconds, until a failed list of tools is requested again; it doubles. */
export const firstRetryMs = 5_000;

/** Longest such delay. */
export const maxRetryMs = 5 * 60_000;

/** Milliseconds between two looks for the login of a server that needs one. */
export const loginPollMs = 2_000;

/** Milliseconds from a notification of changed tools to the request for the list, and between two of a resource. */
export const refetchMs = 200;

/** Most concurrent calls of one server. */
export const maxInFlight = 256;

/** Most prompts of one server, and as many resources, and templates. */
export const maxFeatures = 2000;

/** Most characters of the definition of one of them as JSON. */
export const maxFeatureLength = 64 * 1024;

/** Most characters of all prompts of one server, of its resources, and of its templates. */
export const maxFeaturesLength = 2 * 1024 * 1024;

/** Most characters of all prompts, resources and templates of all servers. */
export const maxAllFeaturesLength = 16 * 1024 * 1024;

/** Milliseconds for the lists of prompts, resources and templates of a server together. */
export const listFeaturesMs = 10_000;

/** Most characters of one binary resource in base64: 12 MiB of data. */
export const maxBlobLength = 16 * 1024 * 1024;

/** Most bytes of the page of an App, or of a file of a skill. */
export const maxHostBytes = 16 * 1024 * 1024;

/** Most values of a completion (MCP: 100), and most characters of one. */
export const maxCompletions = 100;
export const maxCompletionLength = 1000;

/** The data of a log message have at most so many characters as JSON. */
export const maxLogLength = 10_000;

/** Most log messages of one server in a second. */
export const maxLogsPerSecond = 100;

/** Most resources of one server that are subscribed to. */
export const maxSubscribed = 500;
