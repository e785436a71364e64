import { isUserAndPassword } from "../value-form.js";
import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";

const AUTH =
  /(?<![A-Za-z\d])auth["'\\]{0,4}\s{0,4}[:=]\s{0,4}["'\\]{0,4}([A-Za-z\d+/]{6,2048}={0,2})(?![\w+/=])/gi;

/** User and password in base64, as in the files of Docker and npm: `"auth": "…"`, `_auth=…`. */
export const dockerAuth = builtIn({
  name: "credentials",
  needs: FEATURE.exactName,
  find: (text) =>
    findAll(text, AUTH, ({ 0: whole, 1: value = "", index }) => {
      const end = index + whole.length;
      return isUserAndPassword(value) && { start: end - value.length, end };
    }),
});
