import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";
import { isUserAndPassword } from "../value-form.js";
import { withoutTrailing } from "../without-trailing.js";

/** A value after the scheme `bearer` or `basic`, or after the header name with any scheme. */
const CREDENTIALS = new RegExp(
  String.raw`(?:(?<![A-Za-z])(bearer|basic)\s{1,4}|authorization["'\\\]]{0,6}\s{0,3}[:=]\s{0,3}["'\\]{0,4}` +
    String.raw`(?!bearer|basic)(?:[a-z][\w-]{1,20}\s{1,3})?)([A-Za-z0-9._~+/=:-]{8,4096})`,
  "gi",
);
const HAS_DIGIT = /\d/;
/** Minimum length of a token without digits; words are shorter. */
const TOKEN_LENGTH = 24;

/** The value of an `Authorization` header: `Bearer …`, `Basic …`. Keys with a known form match an earlier pattern. */
export const authorization = builtIn({
  name: "authorization",
  needs: FEATURE.authorization,
  find: (text) =>
    findAll(text, CREDENTIALS, (match) => {
      const [whole, scheme = "", value = ""] = match;
      const end = match.index + whole.length;
      // `basic` is also a common word.
      const isSecret = scheme.toLowerCase() === "basic" ? isUserAndPassword(value) : isToken(value);
      return isSecret && { start: end - value.length, end };
    }),
});

function isToken(value: string): boolean {
  return HAS_DIGIT.test(value) || withoutTrailing(value, ".=:-").length >= TOKEN_LENGTH;
}
