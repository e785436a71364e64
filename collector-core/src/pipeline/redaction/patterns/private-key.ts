import { FEATURE } from "../text-features.js";
import { builtIn, findAll } from "../pattern.js";

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** A private key in PEM or PGP armour. One that does not end, as where its text was cut, runs to the end. */
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
