import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";

const NAME = String.raw`[\w!#$%&*+.^|~-]{1,128}`;
const VALUE = String.raw`[^\s;,"'\\<>]{0,4096}`;
const ATTRIBUTE = String.raw`expires=[^;"'\\<>\r\n]{0,40}|httponly|secure|partitioned|${NAME}=${VALUE}`;

/** The header with all cookies and attributes: `Cookie: a=b; c=d`, `Set-Cookie: sid=…; Path=/; HttpOnly`. */
const COOKIES = new RegExp(
  String.raw`(?<![A-Za-z])(?:set-)?cookie["'\\\]]{0,6}\s{0,3}[:=]\s{0,3}["'\\]{0,4}(${NAME}=${VALUE}(?:;\s{0,2}(?:${ATTRIBUTE})){0,200})`,
  "gi",
);

/** Text before a header: the start of a line, a quote, a log delimiter, or the word `header`. */
const BEFORE_HEADER = /(?:^|[\r\n"'`\\{[(,|<>]\s{0,4}|\\[nrt]|headers?\W{1,4}|document\.)$/i;
const BEFORE_LENGTH = 16;
/** A value that looks like a session id. */
const LONG_VALUE = /=(?=[^;=\d]{0,4096}\d)[^\s;=]{8}/;

/** The value of a `Cookie` or `Set-Cookie` header, but not a cookie in prose: `set a cookie: theme=dark`. */
export const cookie = builtIn({
  name: "cookie",
  needs: FEATURE.assignment,
  find: (text) =>
    findAll(text, COOKIES, ({ 0: whole, 1: value = "", index }) => {
      const isHeader =
        !whole.startsWith("c") || BEFORE_HEADER.test(text.slice(Math.max(0, index - BEFORE_LENGTH), index));
      if (!isHeader && !LONG_VALUE.test(value)) return false;
      const end = index + whole.length;
      return { start: end - value.length, end };
    }),
});
