import { digitsOf, isDate, passesLuhn, passesMod1110, remainder, weightedSum } from "../checksums.js";
import { keywords } from "../keywords.js";
import { FEATURE } from "../text-features.js";
import type { NationalIdRule } from "./national-id.js";

const SPANISH_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE";
const FINNISH_CHARACTERS = "0123456789ABCDEFHJKLMNPRSTUVWXY";
const IRISH_LETTERS = "WABCDEFGHIJKLMNOPQRSTUV";

/**
 * Values of the characters at odd positions of a codice fiscale. At even positions a digit or letter has its own
 * value.
 */
const ITALIAN_ODD = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

function number(text: string, from: number, to: number): number {
  return Number(text.slice(from, to));
}

/** Identity numbers of Europe, according to the descriptions of the issuers. */
export const EUROPEAN_IDS: readonly NationalIdRule[] = [
  {
    name: "uk_nino",
    digits: [6],
    hasLetter: true,
    shape: String.raw`[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]`,
    keyword: keywords("nino|ni (?:number|no)|national insurance(?: (?:number|no))?"),
    standsAlone: "always",
    isValid: (id) => /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(id),
  },
  {
    name: "de_steuer_id",
    digits: [11],
    shape: String.raw`\d{2} ?\d{3} ?\d{3} ?\d{3}`,
    keyword: keywords(
      "steuer[- ]?id(?:entifikationsnummer)?(?:[- ]?n(?:umme)?r)?|steuernummer|id[- ]?nr|identifikationsnummer|tin|tax (?:id|number)",
    ),
    isValid: (id) => hasRepeatedDigit(id) && passesMod1110(id),
  },
  {
    name: "fr_nir",
    digits: [8, 15],
    shape: String.raw`[1-478] ?\d\d ?\d\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d`,
    keyword: keywords("nir|insee|s[ée]curit[ée] sociale|num[ée]ro de s[ée]cu"),
    standsAlone: "always",
    isValid(id) {
      const month = number(id, 3, 5);
      const isMonth =
        (month >= 1 && month <= 12) || (month >= 20 && month <= 42) || (month >= 50 && month <= 99);
      const digits = id.replace("2A", "19").replace("2B", "18");
      return isMonth && 97 - remainder(digits.slice(0, 13), 97) === number(digits, 13, 15);
    },
  },
  {
    name: "es_dni",
    digits: [8],
    hasLetter: true,
    shape: String.raw`\d{8}[ -]?[A-Z]|\d{2}\.\d{3}\.\d{3}[ -]?[A-Z]`,
    keyword: keywords("dni|nif|documento"),
    standsAlone: "always",
    isValid: (id) => SPANISH_LETTERS[number(id, 0, 8) % 23] === id[8],
  },
  {
    name: "es_nie",
    digits: [7],
    hasLetter: true,
    shape: String.raw`[XYZ][ -]?\d{7}[ -]?[A-Z]`,
    keyword: keywords("nie|nif|documento"),
    standsAlone: "always",
    isValid: (id) => SPANISH_LETTERS[Number(`${"XYZ".indexOf(id[0] ?? "")}${id.slice(1, 8)}`) % 23] === id[8],
  },
  {
    name: "pt_nif",
    digits: [9],
    shape: String.raw`\d{3}[ .]?\d{3}[ .]?\d{3}`,
    keyword: keywords("nif|contribuinte"),
    isValid(id) {
      const rest = 11 - (weightedSum(id, [9, 8, 7, 6, 5, 4, 3, 2]) % 11);
      return (rest >= 10 ? 0 : rest) === number(id, 8, 9);
    },
  },
  {
    name: "it_codice_fiscale",
    digits: [],
    needs: FEATURE.code,
    shape: String.raw`[A-Z]{6}[\dLMNPQRSTUV]{2}[ABCDEHLMPRST][\dLMNPQRSTUV]{2}[A-Z][\dLMNPQRSTUV]{3}[A-Z]`,
    keyword: keywords("codice fiscale|cf"),
    standsAlone: "always",
    isValid(id) {
      let sum = 0;
      for (let at = 0; at < 15; at++) {
        const value = Number.parseInt(id[at] ?? "", 36);
        const place = value < 10 ? value : value - 10;
        sum += at % 2 === 0 ? (ITALIAN_ODD[place] ?? 0) : place;
      }
      return id.charCodeAt(15) - 0x41 === sum % 26;
    },
  },
  {
    name: "nl_bsn",
    digits: [9],
    shape: String.raw`\d{4}[ .]?\d{2}[ .]?\d{3}|\d{3}[ .]\d{3}[ .]\d{3}`,
    keyword: keywords("bsn|burgerservicenummer|sofi(?:[- ]?nummer)?|citizen service number"),
    isValid: (id) => weightedSum(id, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
  },
  {
    name: "be_national_number",
    digits: [11],
    shape: String.raw`\d{2}[.]?\d{2}[.]?\d{2}[- .]?\d{3}[.]?\d{2}`,
    keyword: keywords(
      "rijksregister(?:nummer)?|registre national|nrn|insz|niss|national (?:register )?number",
    ),
    needsAlone: FEATURE.three,
    standsAlone: /^\d\d\.\d\d\.\d\d-\d{3}\.\d\d$/,
    isValid: (id) =>
      [id.slice(0, 9), `2${id.slice(0, 9)}`].some((base) => 97 - remainder(base, 97) === number(id, 9, 11)),
  },
  {
    name: "ie_pps",
    digits: [7],
    hasLetter: true,
    shape: String.raw`\d{7}[A-W][A-IW]?`,
    keyword: keywords("ppsn?|personal public service"),
    isValid(id) {
      const second = id[8] === undefined || id[8] === "W" ? 0 : id.charCodeAt(8) - 0x40;
      return IRISH_LETTERS[(weightedSum(id, [8, 7, 6, 5, 4, 3, 2]) + 9 * second) % 23] === id[7];
    },
  },
  {
    name: "pl_pesel",
    digits: [11],
    shape: String.raw`\d{11}`,
    keyword: keywords("pesel"),
    isValid: (id) =>
      isDate(number(id, 0, 2), number(id, 2, 4) % 20, number(id, 4, 6)) &&
      weightedSum(id, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
  },
  {
    name: "ch_ahv",
    digits: [13],
    shape: String.raw`756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}`,
    keyword: keywords("ahv(?:[- ]?n(?:umme)?r)?|avs|social insurance"),
    standsAlone: "always",
    isValid: (id) => weightedSum(id, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
  },
  {
    name: "se_personnummer",
    digits: [4, 10, 12],
    shape: String.raw`\d{6}(?:\d\d)?[-+]?\d{4}`,
    keyword: keywords("person(?:nummer|nr)|samordningsnummer|pnr|personal (?:identity )?number"),
    // Only years 19xx match without a keyword: order numbers begin with a current date.
    standsAlone: /^19\d{6}[-+]\d{4}$/,
    isValid(id) {
      const digits = id.replace("+", "");
      if (digits.length === 12 && !/^(?:19|20)/.test(digits)) return false;
      const short = digits.slice(-10);
      return isDate(number(short, 0, 2), number(short, 2, 4), number(short, 4, 6) % 60) && passesLuhn(short);
    },
  },
  {
    name: "fi_hetu",
    digits: [6],
    shape: String.raw`\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]`,
    keyword: keywords("hetu|henkil[öo]tunnus|personal identity code"),
    needsAlone: FEATURE.six,
    standsAlone: "always",
    isValid(id) {
      const digits = id.replace(/\D/g, "");
      const check = FINNISH_CHARACTERS[Number(digits.slice(0, 9)) % 31];
      return isDate(number(id, 4, 6), number(id, 2, 4), number(id, 0, 2)) && check === id.at(-1);
    },
  },
  {
    name: "no_fodselsnummer",
    digits: [11],
    shape: String.raw`\d{6} ?\d{5}`,
    keyword: keywords("f[øo]dselsnummer|fnr|personnummer|d-nummer"),
    isValid: (id) =>
      isDate(number(id, 4, 6), number(id, 2, 4), number(id, 0, 2) % 40) &&
      weightedSum(id, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
      weightedSum(id, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  },
  {
    // No checksum: new numbers no longer have one.
    name: "dk_cpr",
    digits: [10],
    shape: String.raw`\d{6}[- ]?\d{4}`,
    keyword: keywords("cpr(?:[- ]?n(?:umme)?r)?|personnummer"),
    isValid: (id) => isDate(number(id, 4, 6), number(id, 2, 4), number(id, 0, 2)),
  },
  {
    name: "ro_cnp",
    digits: [13],
    shape: String.raw`[1-9]\d{12}`,
    keyword: keywords("cnp|cod numeric personal"),
    isValid(id) {
      const rest = weightedSum(id, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
      return (rest === 10 ? 1 : rest) === number(id, 12, 13);
    },
  },
  {
    name: "ru_snils",
    digits: [11],
    shape: String.raw`\d{3}[- ]?\d{3}[- ]?\d{3}[- ]?\d{2}`,
    keyword: keywords("снилс|snils"),
    needsAlone: FEATURE.three,
    standsAlone: /^\d{3}-\d{3}-\d{3} \d{2}$/,
    isValid: (id) => (weightedSum(id, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100 === number(id, 9, 11),
  },
  {
    name: "tr_kimlik",
    digits: [11],
    shape: String.raw`[1-9]\d{10}`,
    keyword: keywords("t\\.?c\\.? ?kimlik(?: n(?:umaras[ıi]|o))?|kimlik n(?:umaras[ıi]|o)|tckn"),
    isValid(id) {
      const digits = digitsOf(id);
      const tenth = weightedSum(id, [7, -1, 7, -1, 7, -1, 7, -1, 7]) % 10;
      const eleventh = digits.slice(0, 10).reduce((sum, digit) => sum + digit, 0) % 10;
      return (tenth + 10) % 10 === digits[9] && eleventh === digits[10];
    },
  },
];

/** True when exactly one of the first ten digits of a Steuer-ID repeats, two or three times. */
function hasRepeatedDigit(id: string): boolean {
  const counts = new Array<number>(10).fill(0);
  for (const digit of digitsOf(id).slice(0, 10)) counts[digit] = (counts[digit] ?? 0) + 1;
  const repeated = counts.filter((count) => count > 1);
  return id[0] !== "0" && repeated.length === 1 && (repeated[0] ?? 0) <= 3;
}
