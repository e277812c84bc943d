/**
 * To be imported before the AI SDK. One of its packages asks for the machine's name while it loads, to
 * send it along when a person logs in, which takes a permission that we do not want to have; and the
 * SDK warns its users' developers in lines of its own.
 */

import os from "node:os";

Object.assign(os, { hostname: () => "localhost" });
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
