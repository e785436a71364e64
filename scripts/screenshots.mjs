/** `npm run screenshots`: every page and state of the UI, in both themes, into .cache/screenshots; two into the README. */
import { build, ensureInstalled, mustRunTool, requireNode } from "./project.mjs";

requireNode();
await ensureInstalled();
await build();
await mustRunTool("vitest/vitest.mjs", ["run", "--config", "e2e/vitest.screenshots.config.ts"]);
