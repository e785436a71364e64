import { isIPv6 } from "node:net";
import { endsWord, startsWord } from "../boundaries.js";
import { keywords } from "../keywords.js";
import { builtIn, findAll, type TextMatch } from "../pattern.js";
import { FEATURE } from "../text-features.js";
import { withoutTrailing } from "../without-trailing.js";

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(String.raw`${OCTET}(?:\.${OCTET}){3}(?!\w|\.\w|-[A-Za-z])`, "g");
/** Text before a version of four numbers: `v`, `version`, `Chrome/`, `package@`, `==`. */
const VERSION_WORDS = "v|version|ver|release|build|rev|revision|firmware|section|chapter";
const VERSION = new RegExp(
  String.raw`(?:(?:\b|_)(?:${VERSION_WORDS})["'\\)]{0,3}[\s:.=#-]{0,3}["'\\]{0,3}|[A-Za-z]\/|@|==|~|\^|§ ?)$`,
  "i",
);
const VERSION_LENGTH = 24;
/** Loopback, unspecified and broadcast addresses and netmasks, which identify nobody. */
const IMPERSONAL = /^(?:127\.|0\.0\.0\.0$|255\.)/;

/** Characters of an IPv6 address, whose last part can be an IPv4 address. */
const IPV6_CHARACTER = /[\da-f:.]/i;
const MAX_IPV6_LENGTH = 45;
/** Fewer hexadecimal digits can be a slice expression: `x[1::2]`. */
const MIN_IPV6_DIGITS = 5;

/** IPv4 addresses with valid octets, except for versions. */
export const ipv4Address = builtIn({
  name: "ip_address",
  needs: FEATURE.dots,
  keyword: keywords(VERSION_WORDS),
  find: ipv4,
});

/** IPv6 addresses that the standard library accepts. */
export const ipv6Address = builtIn({ name: "ip_address", needs: FEATURE.colons, find: ipv6 });

function ipv4(text: string): TextMatch[] {
  return findAll(text, IPV4, ({ 0: address, index }) => {
    if (IMPERSONAL.test(address) || !startsWord(text, index)) return false;
    const before = text.slice(Math.max(0, index - VERSION_LENGTH), index);
    return !before.endsWith(".") && !VERSION.test(before);
  });
}

/** Searches from each colon in both directions. */
function ipv6(text: string): TextMatch[] {
  const found: TextMatch[] = [];
  for (let at = text.indexOf(":"); at >= 0;) {
    let start = at;
    while (start > 0 && at - start <= MAX_IPV6_LENGTH && IPV6_CHARACTER.test(text[start - 1] ?? "")) start--;
    let end = at + 1;
    while (end - at <= MAX_IPV6_LENGTH && IPV6_CHARACTER.test(text[end] ?? "")) end++;
    const match = ipv6Between(text, start, end);
    if (match !== undefined) found.push(match);
    at = text.indexOf(":", end);
  }
  return found;
}

function ipv6Between(text: string, start: number, end: number): TextMatch | undefined {
  // A colon can precede the address, and a dot or a colon can follow it.
  const from = start + (/^[:.](?!:)/.test(text.slice(start, start + 2)) ? 1 : 0);
  const found = text.slice(from, end);
  const withoutDots = withoutTrailing(found, ".");
  const address = withoutDots === found ? withoutDots.replace(/(?<!:):$/, "") : withoutDots;
  if (!isIPv6(address)) return undefined;
  const digits = address.replace(/[^\da-f]/gi, "");
  if (digits.length < MIN_IPV6_DIGITS || !/\d/.test(digits)) return undefined;
  return startsWord(text, from) && endsWord(text, from + address.length)
    ? { start: from, end: from + address.length }
    : undefined;
}
