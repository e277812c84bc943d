/** What a server may make us hold or wait for. Each is named in `docs/servers.md`. */

/** Bytes of one message of a server, 32 MiB: beyond, its connection is closed. */
export const maxMessageBytes = 32 * 1024 * 1024;

/** Tools that one server may have. */
export const maxTools = 2000;

/** Pages that they may come in. */
export const maxPages = 500;

/** Characters that the definition of one tool may have as JSON. */
export const maxDefinitionLength = 256 * 1024;

/** Characters that the definitions of one server may have together. */
export const maxDefinitionsLength = 4 * 1024 * 1024;

/** The same of all servers of a session. */
export const maxAllDefinitionsLength = 16 * 1024 * 1024;

/** Characters of what a server says of itself. */
export const maxDescriptionLength = 20_000;

/** Milliseconds to connect, and as many to list the tools. */
export const connectMs = 30_000;

/** Milliseconds that a server has to say which protocol it speaks before it counts as an old one. */
export const probeMs = 5_000;

/** Milliseconds a call may take in all, however much news there is of its progress. */
export const maxCallMs = 30 * 60 * 1000;

/** Times that one call may ask the person. */
export const maxQuestions = 10;

/** Characters of a question that the person is shown. */
export const maxQuestionLength = 2000;

/** Characters of a form, as JSON, or of the address of a page that the person is shown. */
export const maxFormLength = 20_000;

/** Characters of a report of progress that are passed on. */
export const maxProgressLength = 500;

/** Milliseconds between two reports of progress that are passed on. */
export const progressMs = 100;

/** Milliseconds before a server that fails again and again is tried once more, at first. */
export const firstBackoffMs = 1_000;

/** The same at most. */
export const maxBackoffMs = 60_000;

/** Milliseconds after which a server that could not be asked is asked again, at first. */
export const firstRetryMs = 5_000;

/** The same at most. */
export const maxRetryMs = 5 * 60_000;

/** Milliseconds between a server's word that its tools have changed and our asking. */
export const refetchMs = 200;

/** Calls that one server may have to answer at once. */
export const maxInFlight = 256;
