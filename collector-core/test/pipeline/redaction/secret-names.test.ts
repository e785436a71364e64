import fc from "fast-check";
import { expect, it } from "vitest";
import {
  mayEndSecretName,
  SECRET_NAME_SUFFIXES,
  SECRET_NAMES,
} from "../../../src/pipeline/redaction/secret-names.js";

it.each([...SECRET_NAMES, ...SECRET_NAME_SUFFIXES])(
  "mayEndSecretName is true for %s, in lower and upper case",
  (source) => {
    // The words before the name do not matter.
    const whole = source.replace(/\(\?<=.*$/, "");
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(`^(?:${whole})$`)), fc.boolean(), (name, isCapital) => {
        const written = isCapital ? name.toUpperCase() : name;
        const last = written.length - 1;
        expect(mayEndSecretName(written.charCodeAt(last - 1), written.charCodeAt(last))).toBe(true);
      }),
      { numRuns: 100, seed: 42 },
    );
  },
);
