import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";
import { COMMAND_DISTANCE, isInCommand, optionValueAt } from "./command-line.js";
import { isPlaceholder } from "./assigned-secret.js";

/** Commands whose `-p` is followed by the password without a space: `mysql -pSECRET`. */
const ATTACHED =
  /^.*(?<![\w-])(?:mysql(?:dump|admin|import|show|check|slap|sh|_upgrade)?|mariadb(?:-[a-z]{2,12})?|sshpass)(?![\w-])/s;
/** Commands whose `-p` is followed by a space and the password. */
const SEPARATE =
  /^.*(?<![\w-])(?:(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|oc|az|cf|helm\s{1,4}registry)\s{1,4}(?:auth\s{1,4})?login|sshpass)(?![\w-])/s;
/** Commands whose `-a` is the user and the password, at the beginning of a command. */
const REQUEST = /^(?:.*(?:[\r\n;|&$`"'>(]|\\n))?[ \t]{0,4}(?:https?|curl)(?=\s)/s;
const PASSWORD = /(?<=[\s"'])-p(=|\s{1,4}|)(["'\\]{0,4})(?![\s-])/g;
const USER = /(?<=\s)-a(?:=|\s{1,4}|)["'\\]{0,4}([^\s"'\\:$<{]{1,256}:[^\s"'\\]{1,1024})/g;

/** The end of a sentence, of a command or of code in Markdown. */
const TRAILING = ".,;)`";

/** The password of a command with the option `-p`. */
export const shortOption = builtIn({
  name: "secret",
  needs: FEATURE.option,
  find: (text) =>
    findAll(text, PASSWORD, ({ 0: whole, 1: separator = "", 2: quote = "", index }) => {
      const before = text.slice(Math.max(0, index - COMMAND_DISTANCE), index);
      const isPassword = separator === "" ? isInCommand(before, ATTACHED) : isInCommand(before, SEPARATE);
      return isPassword ? optionValueAt(text, index + whole.length, quote !== "", TRAILING) : undefined;
    }),
});

/** User and password of HTTPie: `http -a user:password`. */
export const optionCredentials = builtIn({
  name: "credentials",
  needs: FEATURE.option,
  find: (text) =>
    findAll(text, USER, ({ 0: whole, 1: value = "", index }) => {
      if (!isInCommand(text.slice(Math.max(0, index - COMMAND_DISTANCE), index), REQUEST)) return false;
      if (isPlaceholder(value.slice(value.indexOf(":") + 1))) return false;
      const end = index + whole.length;
      return { start: end - value.length, end };
    }),
});
