import { describedErrorInLog } from "./described-error-in-log.mjs";
import { importDirections } from "./import-directions.mjs";
import { noAmbiguousRepetition } from "./no-ambiguous-repetition.mjs";
import { noInheritedLookup } from "./no-inherited-lookup.mjs";
import { noUncopiedPart } from "./no-uncopied-part.mjs";
import { refusedSyntax } from "./refused-syntax.mjs";

/** The rules of this project, for oxlint. */
export default {
  meta: { name: "obspan" },
  rules: {
    "described-error-in-log": describedErrorInLog,
    "import-directions": importDirections,
    "no-ambiguous-repetition": noAmbiguousRepetition,
    "no-inherited-lookup": noInheritedLookup,
    "no-uncopied-part": noUncopiedPart,
    ...refusedSyntax,
  },
};
