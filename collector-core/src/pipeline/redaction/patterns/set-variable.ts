import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";
import { optionValueAt } from "./command-line.js";
import { isSecretVariable } from "./environment-variable.js";

/** A command or a line that sets a variable without `=`, up to the value. */
const SET = new RegExp(
  String.raw`(?<=^|[\s"'\x60]|\\[nrt])(?:#[ \t]{0,4}define|ENV|setx|setenv|set(?:[ \t]{1,4}-{1,2}[a-zA-Z]{1,10}){1,3})` +
    String.raw`[ \t]{1,8}([A-Z][A-Z\d_]{1,80})[ \t]{1,40}(\\{0,3}["']?)`,
  "g",
);

/**
 * The value of a variable with the name of a secret: `setx API_TOKEN …` of Windows, `set -x API_TOKEN …` of fish,
 * `#define API_KEY "…"`, `ENV API_TOKEN …` of a Dockerfile.
 */
export const setVariable = builtIn({
  name: "secret",
  needs: FEATURE.variable,
  find: (text) =>
    findAll(text, SET, ({ 0: whole, 1: name = "", 2: quote = "", index }) => {
      const found = optionValueAt(text, index + whole.length, quote !== "", ";");
      if (found === undefined) return undefined;
      return isSecretVariable(name, text.slice(found.start, found.end)) ? found : undefined;
    }),
});
