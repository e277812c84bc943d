/** The names of a script, and of what is around it, in the errors of its room. */
export const fileName = "script.js";
export const preludeName = "climax";
