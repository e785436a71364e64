import { endsWord, isWordCharacter, startsWord } from "../boundaries.js";
import { passesMod97 } from "../checksums.js";
import { atLeast } from "../digit-sums.js";
import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";

/** Length of an IBAN by country (SWIFT registry). */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 " +
    "FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 " +
    "LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 " +
    "RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
);

const START = /(?:[A-Z]{2}|[a-z]{2})\d\d(?=[ \u00a0-]?[A-Za-z0-9])/g;

/** International bank account numbers, with or without spaces or dashes. */
export const iban = builtIn({
  name: "iban",
  needs: FEATURE.country,
  digits: atLeast(6),
  find: (text) =>
    findAll(text, START, ({ index }) => {
      const length = LENGTHS.get(text.slice(index, index + 2).toUpperCase());
      if (length === undefined || !startsWord(text, index)) return false;
      let compact = "";
      let at = index;
      for (; compact.length < length && at < text.length; at++) {
        const character = text.charCodeAt(at);
        const isSeparator = character === 0x20 || character === 0xa0 || character === 0x2d;
        if (isWordCharacter(character) && character !== 0x5f) compact += text[at] as string;
        else if (!isSeparator || !isWordCharacter(text.charCodeAt(at - 1))) return false;
      }
      if (compact.length < length || !endsWord(text, at) || !passesMod97(compact)) return false;
      return { start: index, end: at };
    }),
});
