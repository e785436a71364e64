import { FEATURE } from "../text-features.js";
import { builtIn, findAll } from "../pattern.js";

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/**
 * A private key in PEM or PGP armour. A key without an end line, such as a truncated one, extends to the end of the
 * text.
 */
export const privateKey = builtIn({
  name: "private_key",
  needs: FEATURE.dashes,
  find: (text) =>
    findAll(text, BEGIN, (begin) => {
      END.lastIndex = begin.index;
      const end = END.exec(text);
      return { start: begin.index, end: end === null ? text.length : end.index + end[0].length };
    }),
});
