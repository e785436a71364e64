import { isDigit, NUMBER_END, startsWord } from "../boundaries.js";
import { atLeast } from "../digit-sums.js";
import { hasKeywordBefore, keywords } from "../keywords.js";
import { builtIn, findAll, type TextMatch } from "../pattern.js";
import { FEATURE } from "../text-features.js";

/** The assigned country calling codes. */
const CALLING_CODES = new Set(
  (
    "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 " +
    "90 91 92 93 94 95 98 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 " +
    "238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 " +
    "267 268 269 290 291 297 298 299 350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 380 " +
    "381 382 383 385 386 387 389 420 421 423 500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 " +
    "598 599 670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 800 808 850 852 853 " +
    "855 856 870 878 880 881 882 883 886 888 960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 979 " +
    "992 993 994 995 996 998"
  ).split(" "),
);
const MAX_DIGITS = 15;

const PHONE = keywords(
  "(?:tele)?phone|tel|mobile|cell(?:phone)?|fax|whatsapp|sms|contact number|call me(?: back)?(?: at| on)?|telefono?|t[eé]l[eé]fono?|" +
    "t[eé]l[eé]phone|portable|handy|rufnummer|m[oó]vil|celular|telefone|telefoon|puhelin|telefonnummer|mobil|mob|numer telefonu|" +
    "телефон|тел|моб|电话|手机|電話|手機|携帯|전화|휴대폰",
);
/** A number after a keyword of {@link PHONE}. Words such as `number` and `no.` may be in between. */
const AFTER_KEYWORD = /[()\d][\d ().\-/\u00a0]{5,22}\d/g;

const NORTH_AMERICAN = new RegExp(
  String.raw`(?:1[ .-]?)?(?:\((\d{3})\) ?|(\d{3})[ .-])(\d{3})[ .-](\d{4})${NUMBER_END}`,
  "g",
);
/** Area codes and exchanges begin with 2 to 9. N11 codes are services; 37X and 96X are reserved. */
const AREA_CODE = /^(?!.11|37|96)[2-9][0-8]\d$/;
const EXCHANGE = /^(?!.11)[2-9]\d\d$/;

/** International phone numbers after `+` or `00`, and North American phone numbers. */
export const phoneNumber = builtIn({
  name: "phone_number",
  needs: FEATURE.phone,
  digits: atLeast(7),
  find(text) {
    const found = [...international(text), ...northAmerican(text)];
    return found.length < 2 ? found : withoutOverlaps(found);
  },
});

/** Phone numbers of any other form after a keyword. */
export const namedPhoneNumber = builtIn({
  name: "phone_number",
  needs: FEATURE.named,
  digits: atLeast(7),
  keyword: PHONE,
  find: afterKeyword,
});

const INTERNATIONAL = /(?:\+ ?|00)(?=[(]?[1-9])/g;

function international(text: string): TextMatch[] {
  return findAll(text, INTERNATIONAL, (prefix) => {
    const start = prefix.index;
    const before = text[start - 1] ?? "";
    if (
      !startsWord(text, start) ||
      before === "+" ||
      (".-".includes(before) && isDigit(text.charCodeAt(start - 2)))
    )
      return false;
    const end = internationalEnd(text, start + prefix[0].length, prefix[0] !== "00");
    return end !== undefined && { start, end };
  });
}

/** Returns the end of the longest number at `start` that begins with a calling code. */
function internationalEnd(text: string, start: number, hasPlus: boolean): number | undefined {
  let digits = "";
  let separators = 0;
  let separated = false;
  let end: number | undefined;
  for (let at = start; at < text.length && digits.length <= MAX_DIGITS; at++) {
    const character = text[at] as string;
    if (isDigit(text.charCodeAt(at))) {
      digits += character;
      separated ||= separators > 0;
      separators = 0;
      const next = text[at + 1] ?? "";
      if (!/\w/.test(next) && isInternational(digits, separated || hasPlus)) end = at + 1;
    } else if (!" .-()/\u00a0".includes(character) || ++separators > 3) break;
  }
  return end;
}

function isInternational(digits: string, isMarked: boolean): boolean {
  if (digits.length > MAX_DIGITS) return false;
  if (digits.startsWith("1")) return digits.length === 11 && AREA_CODE.test(digits.slice(1, 4));
  if (digits.startsWith("7")) return digits.length === 11;
  if (CALLING_CODES.has(digits.slice(0, 2)))
    return digits.length >= (isMarked ? 9 : 10) && !/^20[0-3]\d(?:0\d|1[0-2])/.test(digits);
  return CALLING_CODES.has(digits.slice(0, 3)) && digits.length >= 8;
}

function northAmerican(text: string): TextMatch[] {
  return findAll(text, NORTH_AMERICAN, (match) => {
    const area = match[1] ?? match[2] ?? "";
    const before = text[match.index - 1] ?? "";
    if (!startsWord(text, match.index) || (before !== "" && "+-./".includes(before))) return false;
    return AREA_CODE.test(area) && EXCHANGE.test(match[3] ?? "");
  });
}

function afterKeyword(text: string): TextMatch[] {
  return findAll(text, AFTER_KEYWORD, (match) => {
    const number = match[0];
    const digits = number.replace(/\D/g, "");
    if (digits.length < 7 || digits.length > MAX_DIGITS || isTime(number)) return false;
    const end = match.index + number.length;
    if (!startsWord(text, match.index) || /\w/.test(text[end] ?? "")) return false;
    return hasKeywordBefore(text, match.index, PHONE);
  });
}

/** True for a range of years, a date, or a Unix time. */
function isTime(number: string): boolean {
  return (
    /^\(?(?:19|20)\d\d\)? ?[-./] ?\(?(?:19|20)\d\d\)?$/.test(number) ||
    /^(?:19|20)\d\d([-./])\d\d?\1\d\d?/.test(number) ||
    /^\d\d?([-./])\d\d?\1(?:19|20)\d\d/.test(number) ||
    /^1[4-9]\d{8}(?:\d{3})?$/.test(number)
  );
}

function withoutOverlaps(matches: TextMatch[]): TextMatch[] {
  matches.sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: TextMatch[] = [];
  for (const match of matches) {
    if (match.start >= (kept.at(-1)?.end ?? 0)) kept.push(match);
  }
  return kept;
}
