/** `npm run build`: compiles all packages. */
import { build, ensureInstalled, requireNode } from "./project.mjs";

requireNode();
await ensureInstalled();
await build();
