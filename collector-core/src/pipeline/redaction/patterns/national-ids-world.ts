import { digitsOf, isDate, passesLuhn, passesVerhoeff, weightedSum } from "../checksums.js";
import { keywords } from "../keywords.js";
import { FEATURE } from "../text-features.js";
import type { NationalIdRule } from "./national-id.js";

const CURP_CHARACTERS = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ";
const TAIWANESE_LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO";

function number(text: string, from: number, to: number): number {
  return Number(text.slice(from, to));
}

/** Identity numbers of the Americas, Asia, Africa and Oceania. */
export const WORLD_IDS: readonly NationalIdRule[] = [
  {
    name: "us_ssn",
    digits: [9],
    shape: String.raw`\d{3}([- .]?)\d{2}\1\d{4}`,
    keyword: keywords("ssn|social security(?: (?:number|no|num))?|soc(?:ial)? sec|social"),
    needsAlone: FEATURE.three,
    standsAlone: /^\d{3}-\d{2}-\d{4}$/,
    isValid: (id) => /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(id),
  },
  {
    name: "us_itin",
    digits: [9],
    shape: String.raw`9\d\d([- ]?)\d\d\1\d{4}`,
    keyword: keywords("itin|taxpayer(?: id(?:entification)?)?|tax(?:payer)? (?:id|number)|tin"),
    isValid: (id) => /^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-2]|9[4-9])\d{4}$/.test(id),
  },
  {
    name: "ca_sin",
    digits: [9],
    shape: String.raw`\d{3}([- ]?)\d{3}\1\d{3}`,
    keyword: keywords("sin|social insurance(?: (?:number|no))?|nas|assurance sociale"),
    isValid: passesLuhn,
  },
  {
    name: "mx_curp",
    digits: [6],
    needs: FEATURE.code,
    shape: String.raw`[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{2}[B-DF-HJ-NP-TV-Z]{3}[A-Z\d]\d`,
    keyword: keywords("curp"),
    standsAlone: "always",
    isValid(id) {
      let sum = 0;
      for (let at = 0; at < 17; at++) sum += CURP_CHARACTERS.indexOf(id[at] ?? "") * (18 - at);
      return (
        (10 - (sum % 10)) % 10 === number(id, 17, 18) &&
        isDate(number(id, 4, 6), number(id, 6, 8), number(id, 8, 10))
      );
    },
  },
  {
    name: "br_cpf",
    digits: [11],
    shape: String.raw`\d{3}\.?\d{3}\.?\d{3}-?\d{2}`,
    keyword: keywords("cpf|cadastro de pessoas"),
    needsAlone: FEATURE.three,
    standsAlone: /^\d{3}\.\d{3}\.\d{3}-\d{2}$/,
    isValid(id) {
      const check = (weights: number[]) => ((weightedSum(id, weights) * 10) % 11) % 10;
      return (
        check([10, 9, 8, 7, 6, 5, 4, 3, 2]) === number(id, 9, 10) &&
        check([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) === number(id, 10, 11)
      );
    },
  },
  {
    name: "cl_rut",
    digits: [7, 8, 9],
    shape: String.raw`\d{1,2}\.?\d{3}\.?\d{3}-[\dK]`,
    keyword: keywords("rut|run|rol [úu]nico"),
    needsAlone: FEATURE.three,
    standsAlone: /^\d{1,2}\.\d{3}\.\d{3}-[\dK]$/,
    isValid(id) {
      const digits = digitsOf(id.slice(0, -1)).reverse();
      const sum = digits.reduce((total, digit, at) => total + digit * ((at % 6) + 2), 0);
      return "0123456789K"[(11 - (sum % 11)) % 11] === id.at(-1);
    },
  },
  {
    name: "ar_cuil",
    digits: [11],
    shape: String.raw`(?:2[03457]|3[034])([- ]?)\d{8}\1\d`,
    keyword: keywords("cui[lt]|dni"),
    standsAlone: /^2\d-\d{8}-\d$/,
    isValid: (id) =>
      (11 - (weightedSum(id, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === number(id, 10, 11),
  },
  {
    name: "in_aadhaar",
    digits: [12],
    shape: String.raw`[2-9]\d{3}([- ]?)\d{4}\1\d{4}(?!\1\d)`,
    keyword: keywords("aadhaa?r|adhaa?r|uidai|uid"),
    standsAlone: /^\d{4}[- ]\d{4}[- ]\d{4}$/,
    isValid: passesVerhoeff,
  },
  {
    name: "in_pan",
    digits: [4],
    needs: FEATURE.code,
    shape: String.raw`[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]`,
    keyword: keywords("pan(?: (?:card|number|no))?|permanent account(?: number)?"),
    standsAlone: /^[A-Z]{3}P[A-Z]\d{4}[A-Z]$/,
    isValid: (id) => !/0000.$/.test(id),
  },
  {
    name: "cn_resident_id",
    digits: [17, 18],
    shape: String.raw`[1-9]\d{5}(?:19|20)\d{9}[\dX]`,
    keyword: keywords("身份证(?:号码?)?|公民身份号码|resident identity"),
    standsAlone: "always",
    isValid: (id) =>
      isDate(number(id, 6, 10), number(id, 10, 12), number(id, 12, 14)) &&
      "10X98765432"[weightedSum(id, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] === id[17],
  },
  {
    name: "tw_id",
    digits: [9],
    hasLetter: true,
    shape: String.raw`[A-Z][1289]\d{8}`,
    keyword: keywords("身[分份]證(?:字號)?|居留證|taiwan(?:ese)? id|national id"),
    isValid(id) {
      const letter = TAIWANESE_LETTERS.indexOf(id[0] ?? "") + 10;
      const sum =
        Math.floor(letter / 10) + (letter % 10) * 9 + weightedSum(id.slice(1), [8, 7, 6, 5, 4, 3, 2, 1, 1]);
      return sum % 10 === 0;
    },
  },
  {
    name: "hk_id",
    digits: [6],
    hasLetter: true,
    shape: String.raw`[A-Z]{1,2}\d{6}\([\dA]\)`,
    keyword: keywords("hkid|身份證"),
    standsAlone: "always",
    isValid(id) {
      const [, letters = "", digits = "", check = ""] = /^([A-Z]{1,2})(\d{6})\(([\dA])\)$/.exec(id) ?? [];
      const values = Array.from(letters.padStart(2, " "), (letter) =>
        letter === " " ? 36 : Number.parseInt(letter, 36),
      );
      const sum = (values[0] ?? 0) * 9 + (values[1] ?? 0) * 8 + weightedSum(digits, [7, 6, 5, 4, 3, 2]);
      return (sum + Number.parseInt(check, 11)) % 11 === 0;
    },
  },
  {
    name: "kr_rrn",
    digits: [13],
    shape: String.raw`\d{6}-?[1-8]\d{6}`,
    keyword: keywords("주민등록번호|외국인등록번호|rrn|resident registration(?: number)?"),
    needsAlone: FEATURE.six,
    standsAlone: /^\d{6}-\d{7}$/,
    isValid: (id) =>
      isDate(number(id, 0, 2), number(id, 2, 4), number(id, 4, 6)) &&
      (11 - (weightedSum(id, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10 === number(id, 12, 13),
  },
  {
    name: "jp_my_number",
    digits: [12],
    shape: String.raw`\d{4}([- ]?)\d{4}\1\d{4}`,
    keyword: keywords("マイナンバー|個人番号|my number"),
    isValid(id) {
      const rest = weightedSum(id, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
      return (rest <= 1 ? 0 : 11 - rest) === number(id, 11, 12);
    },
  },
  {
    name: "sg_nric",
    digits: [7],
    hasLetter: true,
    shape: String.raw`[STFGM]\d{7}[A-Z]`,
    keyword: keywords("nric|fin"),
    standsAlone: "always",
    isValid(id) {
      const series = id[0] ?? "";
      const offset = series === "T" || series === "G" ? 4 : series === "M" ? 3 : 0;
      const rest = (weightedSum(id.slice(1), [2, 7, 6, 5, 4, 3, 2]) + offset) % 11;
      const letters = series === "M" ? "KLJNPQRTUWX" : "ST".includes(series) ? "JZIHGFEDCBA" : "XWUTRQPNMLK";
      return letters[series === "M" ? 10 - rest : rest] === id[8];
    },
  },
  {
    name: "th_id",
    digits: [13],
    shape: String.raw`[1-8]([- ]?)\d{4}\1\d{5}\1\d{2}\1\d`,
    keyword: keywords("เลขประจำตัวประชาชน|เลขบัตรประชาชน|thai (?:national )?id|national id"),
    standsAlone: /^\d-\d{4}-\d{5}-\d{2}-\d$/,
    isValid: (id) =>
      (11 - (weightedSum(id, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === number(id, 12, 13),
  },
  {
    name: "my_nric",
    digits: [12],
    shape: String.raw`\d{6}-?\d{2}-?\d{4}`,
    keyword: keywords("mykad|nric|kad pengenalan|ic (?:number|no)"),
    isValid: (id) => isDate(number(id, 0, 2), number(id, 2, 4), number(id, 4, 6)),
  },
  {
    name: "id_nik",
    digits: [16],
    shape: String.raw`[1-9]\d{15}`,
    keyword: keywords("nik|nomor induk(?: kependudukan)?|ktp"),
    isValid: (id) => isDate(number(id, 10, 12), number(id, 8, 10), number(id, 6, 8) % 40),
  },
  {
    name: "il_id",
    digits: [9],
    shape: String.raw`\d{9}`,
    keyword: keywords("תעודת זהות|teudat zehut|israeli id"),
    isValid: passesLuhn,
  },
  {
    name: "za_id",
    digits: [13],
    shape: String.raw`\d{6} ?\d{4} ?[012]\d{2}`,
    keyword: keywords("id (?:number|no)|identity (?:number|no|document)|said|rsa id"),
    isValid: (id) => isDate(number(id, 0, 2), number(id, 2, 4), number(id, 4, 6)) && passesLuhn(id),
  },
  {
    name: "au_tfn",
    digits: [9],
    shape: String.raw`\d{3} ?\d{3} ?\d{3}`,
    keyword: keywords("tfn|tax file(?: (?:number|no))?"),
    isValid: (id) => weightedSum(id, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
  },
  {
    name: "au_medicare",
    digits: [10, 11],
    shape: String.raw`[2-6]\d{3} ?\d{5} ?\d(?:[ /-]?\d)?`,
    keyword: keywords("medicare(?: (?:card|number|no))?"),
    isValid: (id) => weightedSum(id, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === number(id, 8, 9),
  },
  {
    name: "passport",
    digits: [6, 7, 8, 9],
    shape: String.raw`[A-Z]{0,2}\d{6,9}[A-Z]?`,
    keyword: keywords(
      "passport(?: (?:number|no|num))?|reisepass(?:nummer)?|passeport|pasaporte|passaporto|护照(?:号码?)?",
    ),
    isValid: () => true,
  },
];
