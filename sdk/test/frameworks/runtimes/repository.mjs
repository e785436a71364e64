/** Finds files of the repository. The runner copies this folder elsewhere, with a link to the folder `check` beside it. */
import { realpathSync } from "node:fs";
import { join } from "node:path";

const CHECK = realpathSync(new URL("../check", import.meta.url));

/** The root of the repository. */
export const ROOT = join(CHECK, "../../../..");

/** The recorded exchanges with providers. */
export const RECORDINGS = join(CHECK, "../../fixtures/llm-traffic");
