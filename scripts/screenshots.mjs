/** `npm run screenshots`: takes a picture of every page and state of the UI in both themes, in .cache/screenshots, and two for the README. */
import { build, ensureInstalled, mustRunTool, requireNode } from "./project.mjs";

requireNode();
await ensureInstalled();
await build();
await mustRunTool("vitest/vitest.mjs", ["run", "--config", "e2e/vitest.screenshots.config.ts"]);
