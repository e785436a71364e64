/**
 * The corpus for the comparison of detectors: texts with known sensitive parts, and texts that only look sensitive. All numbers
 * and keys are generated from a seed.
 */

function seeded(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const random = seeded(20_261_122);
const pick = (list) => list[random(list.length)];
const from = (characters, length) => Array.from({ length }, () => pick(Array.from(characters))).join("");
const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const MIXED = `${LOWER}${LOWER.toUpperCase()}${DIGITS}`;
const HEX = "0123456789abcdef";

function withLuhn(body) {
  for (let check = 0; check < 10; check++) {
    const number = body + check;
    let sum = 0;
    for (let at = number.length - 1, twice = false; at >= 0; at--, twice = !twice) {
      const digit = Number(number[at]) * (twice ? 2 : 1);
      sum += digit > 9 ? digit - 9 : digit;
    }
    if (sum % 10 === 0) return number;
  }
  throw new Error("no digit passes");
}

function iban(country, length) {
  const account = from(DIGITS, length - 4);
  const numeric = Array.from(`${account}${country}00`, (each) => Number.parseInt(each, 36)).join("");
  return `${country}${String(98n - (BigInt(numeric) % 97n)).padStart(2, "0")}${account}`;
}

const grouped = (number, separator) => number.replace(/(.{4})(?=.)/g, `$1${separator}`);
const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));

const cards = many(60, (index) => {
  const [begins, length] = pick([
    ["4", 16],
    ["51", 16],
    ["2221", 16],
    ["6011", 16],
    ["3782", 15],
    ["3530", 16],
    ["4", 19],
  ]);
  const number = withLuhn(begins + from(DIGITS, length - 1 - begins.length));
  return length === 16 ? grouped(number, ["", " ", "-", "."][index % 4]) : number;
});

const emails = many(60, (index) => {
  const name = from(LOWER, 3 + random(8));
  const domain = `${from(LOWER, 3 + random(9))}.${pick(["com", "org", "de", "co.uk", "io", "museum"])}`;
  return [
    `${name}@${domain}`,
    `${name}.${from(LOWER, 5)}+news@mail.${domain}`,
    `jörg.${name}@straße.de`,
    `${name}_${from(DIGITS, 2)}@${domain}`,
    `${name}\\u0040${domain}`,
    `${name}&#64;${domain}`,
  ][index % 6];
});

const ibans = many(40, (index) =>
  grouped(
    iban(
      ...pick([
        ["DE", 22],
        ["AT", 20],
        ["ES", 24],
        ["PL", 28],
        ["BE", 16],
      ]),
    ),
    index % 2 === 0 ? "" : " ",
  ),
);

const addresses = many(40, (index) =>
  index % 2 === 0
    ? `${11 + random(180)}.${1 + random(250)}.${random(250)}.${1 + random(250)}`
    : `2001:db8:${from("123456789abcdef", 4)}:${from("123456789abcdef", 3)}::${from("123456789abcdef", 4)}`,
);

const keys = many(6, () => [
  `sk-proj-${from(MIXED, 48)}T3BlbkFJ${from(MIXED, 48)}`,
  `sk-ant-api03-${from(MIXED, 93)}AA`,
  `ghp_${from(MIXED, 36)}`,
  `github_pat_${from(MIXED, 22)}_${from(MIXED, 59)}`,
  `glpat-${from(MIXED, 20)}`,
  `AKIA${from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)}`,
  `aws_secret_access_key = ${from(`${MIXED}/+`, 40)}`,
  `AIza${from(MIXED, 35)}`,
  `xoxb-${from(DIGITS, 12)}-${from(DIGITS, 12)}-${from(MIXED, 24)}`,
  `https://hooks.slack.com/services/T${from(DIGITS, 9)}/B${from(DIGITS, 9)}/${from(MIXED, 24)}`,
  `SG.${from(MIXED, 22)}.${from(MIXED, 43)}`,
  `shpat_${from(HEX, 32)}`,
  `npm_${from(MIXED, 36)}`,
  `sk_live_${from(MIXED, 24)}`,
  `hf_${from(LOWER, 34)}`,
  `lin_api_${from(MIXED, 40)}`,
  `dop_v1_${from(HEX, 64)}`,
  `postgres://shop:${from(MIXED, 12)}@db.example.com/shop`,
  `https://ann:${from(MIXED, 12)}@example.com/x`,
  `Authorization: Bearer ${from(MIXED, 40)}`,
  `Cookie: sid=${from(MIXED, 24)}; theme=dark`,
  `curl -u ann:${from(MIXED, 10)} https://example.com`,
  `--password ${from(MIXED, 10)}1`,
  `OPENAI_sk-${from(MIXED, 48)}`,
  `{"password": "${from(MIXED, 12)}1"}`,
  `<password>${from(MIXED, 12)}</password>`,
  `-----BEGIN RSA PRIVATE KEY-----\n${many(4, () => from(MIXED, 64)).join("\n")}\n-----END RSA PRIVATE KEY-----`,
]).flat();

/** Sensitive values by kind; the telephone numbers are the examples of each country from libphonenumber-js. */
export const SENSITIVE = { card: cards, email: emails, iban: ibans, "IP address": addresses, secret: keys };

/** Harmless texts that look sensitive, one a line. */
export const HARMLESS = [
  ...many(12, () => [
    `${from(HEX, 8)}-${from(HEX, 4)}-4${from(HEX, 3)}-a${from(HEX, 3)}-${from(HEX, 12)}`,
    `sha256:${from(HEX, 64)}`,
    `commit ${from(HEX, 40)}`,
    `trace ${from(HEX, 32)} span ${from(HEX, 16)}`,
    `call_${from(MIXED, 24)} and msg_${from(MIXED, 24)}`,
    `at ${1_600_000_000 + random(200_000_000)}, that is ${1_600_000_000_000 + random(200_000_000)}`,
    `2026-0${1 + random(9)}-1${random(9)}T0${random(9)}:5${random(9)}:56.${from(DIGITS, 3)}Z`,
    `order ORD-2026-${from(DIGITS, 6)} for $${random(9000)}.${from(DIGITS, 2)}`,
    `invoice ${from("123456789", 10)} of 20${10 + random(16)}`,
    `version ${random(20)}.${random(20)}.${random(20)}.${random(20)} on Chrome/120.0.6099.${random(200)}`,
    `[0.${from(DIGITS, 16)}, -0.${from(DIGITS, 16)}]`,
    `pages 100-200, 1 2 3 4 5 6 7 8 9 10, lines ${random(9000)}:${random(90)}`,
    `52.${from(DIGITS, 6)}, 13.${from(DIGITS, 6)}`,
    `max_tokens: ${random(100_000)}, total_tokens: ${random(10_000_000)}`,
    `npm i pkg@${random(20)}.${random(20)}.${random(20)} and logo@2x.png`,
    `apiKey: process.env.OPENAI_API_KEY, password: ${"${PASSWORD}"}`,
    `ISBN 978-3-16-1484${random(9)}0-${random(9)}`,
  ]).flat(),
];

/** Prose, of which most texts are, for the time that a detector takes. */
export const PROSE = many(40, () =>
  many(60, () => from(LOWER, 2 + random(9)))
    .join(" ")
    .replace(/(.{80})/g, "$1. "),
);
