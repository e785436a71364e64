/** `npm run check`: types, lint, format, dead code and unit tests; what every commit must pass. */
import { build, ensureInstalled, mustRunTool, requireNode } from "./project.mjs";

requireNode();
await ensureInstalled();
await build();
await mustRunTool("eslint/bin/eslint.js", ["."]);
await mustRunTool("prettier/bin/prettier.cjs", ["--check", "--log-level=warn", "."]);
await mustRunTool("knip/bin/knip.js", []);
await mustRunTool("vitest/vitest.mjs", ["run", "--config", "collector-core/vitest.config.ts"]);
