/** Must be imported before the AI SDK, which reads the host name when it is loaded (a permission), and prints warnings. */

import os from "node:os";

Object.assign(os, { hostname: () => "localhost" });
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
