/**
 * Compares the detectors of redaction with libraries on one corpus: how much sensitive text each finds, how much harmless text
 * it reports, and how long it takes. The libraries are not dependencies; install them in any folder and pass it:
 *
 *   npm install --prefix /tmp/detectors libphonenumber-js validator @secretlint/core @secretlint/secretlint-rule-preset-recommend
 *   node e2e/bench/redaction-libraries.mjs /tmp/detectors
 */
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createPersonalDataFinder } from "../../collector-core/dist/pipeline/redaction/personal-data.js";
import { HARMLESS, PROSE, SENSITIVE } from "./redaction-corpus.mjs";
import { printTable } from "./statistics.mjs";

const directory = resolve(process.argv[2] ?? ".");
const require = createRequire(join(directory, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { findPhoneNumbersInText, getExampleNumber, getCountries } = await load("libphonenumber-js/max");
const examples = require("libphonenumber-js/examples.mobile.json");
const { default: validator } = await load("validator");
const { lintSource } = await load("@secretlint/core");
const { creator } = await load("@secretlint/secretlint-rule-preset-recommend");

const phones = getCountries().flatMap((country, index) => {
  const number = getExampleNumber(country, examples);
  if (number === undefined) return [];
  return [[number.formatInternational(), number.number, `phone: ${number.formatNational()}`][index % 3]];
});
const sensitive = { ...SENSITIVE, telephone: phones };

const words = (text) => text.split(/[\s,;<>"]+/);
const find = createPersonalDataFinder();
const secretlint = { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator }] };

/** Each reports whether a text has a match. */
const DETECTORS = {
  Obspan: { kinds: Object.keys(sensitive), has: (text) => find(text).size > 0 },
  "libphonenumber-js": {
    kinds: ["telephone"],
    has: (text) => findPhoneNumbersInText(text, { defaultCountry: "US", v2: true }).length > 0,
  },
  validator: {
    kinds: ["card", "email", "iban", "IP address", "telephone"],
    has: (text) =>
      [text, ...words(text)].some(
        (word) =>
          validator.isEmail(word) ||
          validator.isCreditCard(word) ||
          validator.isIBAN(word) ||
          validator.isIP(word) ||
          validator.isMobilePhone(word.replace(/[ ()-]/g, ""), "any"),
      ),
  },
  secretlint: {
    kinds: ["secret"],
    has: async (text) => {
      const { messages } = await lintSource({
        source: { filePath: "text.txt", content: text, contentType: "text" },
        options: { config: secretlint },
      });
      return messages.length > 0;
    },
  },
};

async function countOf(texts, has) {
  let count = 0;
  for (const text of texts) if (await has(text)) count++;
  return count;
}

async function microsecondsPerKilobyte(texts, has) {
  await countOf(texts, has);
  const times = [];
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    await countOf(texts, has);
    const { user, system } = process.cpuUsage(before);
    times.push(user + system);
  }
  return Math.min(...times) / (texts.join("").length / 1000);
}

const percent = (part, whole) => `${((part / whole) * 100).toFixed(1)} %`;
const rows = [];
for (const [name, { kinds, has }] of Object.entries(DETECTORS)) {
  const recalls = {};
  for (const kind of Object.keys(sensitive))
    recalls[kind] = kinds.includes(kind)
      ? percent(await countOf(sensitive[kind], has), sensitive[kind].length)
      : "–";
  rows.push([
    name,
    ...Object.values(recalls),
    percent(await countOf(HARMLESS, has), HARMLESS.length),
    (await microsecondsPerKilobyte(PROSE, has)).toFixed(1),
    (await microsecondsPerKilobyte(HARMLESS, has)).toFixed(1),
  ]);
}
printTable(
  ["detector", ...Object.keys(sensitive), "false positives", "µs per KB of prose", "µs per KB of ids"],
  rows,
);
if (process.argv.includes("--missed"))
  for (const [kind, texts] of Object.entries(sensitive))
    for (const text of texts) if (find(text).size === 0) console.log(kind, JSON.stringify(text));
if (process.argv.includes("--missed"))
  for (const text of HARMLESS) if (find(text).size > 0) console.log("harmless", text, [...find(text).keys()]);
