/** `npm run check`: types, lint, format, dead code, unit tests and the citations of the docs; what every commit must pass. */
import { build, checkSources, ensureInstalled, mustRunTool, requireNode } from "./project.mjs";

requireNode();
await ensureInstalled();
await build();
await checkSources();
for (const part of ["sdk", "collector-core"])
  await mustRunTool("vitest/vitest.mjs", ["run", "--config", `${part}/vitest.config.ts`]);
await mustRunTool("vitest/vitest.mjs", ["run", "--config", "e2e/vitest.config.ts", "e2e/docs"]);
