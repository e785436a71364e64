import { passMeaning } from "../key-meaning.js";
import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";
import { isExpression } from "./assigned-secret.js";
import { optionValueAt } from "./command-line.js";

const ASSIGNMENT = /(?<![\w-])(\w{1,60}_pass)["'\\]{0,4}\s{0,4}(?:=>|:=|[:=])\s{0,4}(\\{0,3}["'`]?)/gi;

/** A value that is assigned to a name such as `db_pass`: `ansible_ssh_pass=…`, `smtp_pass: …`. */
export const assignedPass = builtIn({
  name: "secret",
  needs: FEATURE.exactName,
  find: (text) =>
    findAll(text, ASSIGNMENT, ({ 0: whole, 1: name = "", 2: quote = "", index }) => {
      const found = optionValueAt(text, index + whole.length, quote !== "", ".,;)]}");
      if (found === undefined) return undefined;
      const value = text.slice(found.start, found.end);
      if (quote === "" && isExpression(text, found.start, value)) return false;
      return passMeaning(name)?.isSecretText?.(value) === true ? found : undefined;
    }),
});
