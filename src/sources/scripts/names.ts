/** Names of scripts. */

/** The tool that runs the code of an agent. */
export const runTool = "script_run";

/** The tool with which an agent proposes a script. */
export const proposeTool = "script_propose";

/** The names of a script, and of what is around it, in the errors of its room. */
export const fileName = "script.js";
export const preludeName = "climax";
