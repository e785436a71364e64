/** The order in which vitest starts test files. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer } from "vitest/node";

/**
 * A sequencer that starts the given files first. Vitest orders the others: by their last duration, or by size where it has none.
 *
 * @param {string} root - of the suite.
 * @param {readonly string[]} files - below the root.
 * @returns {typeof BaseSequencer}
 */
export function startWith(root, files) {
  const missing = files.filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) throw new Error(`These test files are not in ${root}: ${missing.join(", ")}`);
  const position = ({ moduleId }) => {
    const at = files.findIndex((file) => moduleId.endsWith(`/${file}`));
    return at < 0 ? files.length : at;
  };
  return class extends BaseSequencer {
    async sort(specifications) {
      return (await super.sort(specifications)).sort((a, b) => position(a) - position(b));
    }
  };
}
