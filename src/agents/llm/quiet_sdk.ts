/** To be imported before the AI SDK, which reads the host name at load (a permission) and warns. */

import os from "node:os";

Object.assign(os, { hostname: () => "localhost" });
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
