import { readFileSync, statSync } from "node:fs";
import type { PriceProfile } from "@obspan/sdk/prices";
import { errorCode } from "../runtime/describe-error.js";
import { isRecord } from "../span/span-facts.js";
import { showRaw } from "./show-value.js";

/** The profile of the file that the collector uses. */
const PROFILE = "default";
const REQUIRED = ["input_per_1m", "output_per_1m"];
const OPTIONAL = ["cached_input_per_1m", "cache_write_per_1m", "reasoning_per_1m", "context_window"];
const PRICES = new Set([...REQUIRED, ...OPTIONAL]);
const MAX_PROBLEMS = 20;
/** Many times the largest price list. A larger file is something else, and its prices take gigabytes. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_MODELS = 10_000;
/** A name that a sender makes up is compared with each of the short globs. The others are found by their longest literal. */
const MAX_SHORT_GLOBS = 1000;
const SHORT_LITERAL = 6;

/** What `pricing.file` has. */
export type PriceFile =
  | { readonly type: "read"; readonly prices: PriceProfile }
  /** Every problem, one line each. They never quote a value of the file. */
  | { readonly type: "refused"; readonly problems: readonly string[] };

/**
 * Reads `pricing.file`, which has the format of the SDK's `pricingSource`: profiles by name, each with models or globs and their
 * prices.
 *
 * @param readFile - default: from disk.
 */
export function readPriceFile(path: string, readFile: (path: string) => string = readText): PriceFile {
  const where = `pricing.file = ${showRaw(path)}`;
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    const code = errorCode(error) ?? "unknown error";
    return { type: "refused", problems: [`${where}: must be a file that can be read (${code})`] };
  }
  const table = parse(text);
  const profile = isRecord(table) && Object.hasOwn(table, PROFILE) ? table[PROFILE] : undefined;
  if (!isRecord(profile)) {
    const format = `{"${PROFILE}": {"name or glob of a model": {"input_per_1m": 1, "output_per_1m": 2}}}`;
    return { type: "refused", problems: [`${where}: must be JSON: ${format}`] };
  }
  const tooMany = excessOf(Object.keys(profile));
  if (tooMany !== undefined) return { type: "refused", problems: [`${where}: ${tooMany}`] };
  const problems = Object.entries(profile).flatMap(([model, price]) => {
    const problem = problemOf(price);
    return problem === undefined ? [] : [`${where}: the price of "${showRaw(model)}" ${problem}`];
  });
  if (problems.length > 0) return { type: "refused", problems: problems.slice(0, MAX_PROBLEMS) };
  return { type: "read", prices: profile as unknown as PriceProfile };
}

/** @throws the error of the file system; an error with a code for what is no file of prices. */
function readText(path: string): string {
  const stats = statSync(path);
  if (!stats.isFile()) throw Object.assign(new Error("no file"), { code: "not a file" });
  if (stats.size > MAX_BYTES)
    throw Object.assign(new Error("too large"), { code: `larger than ${MAX_BYTES} bytes` });
  return readFileSync(path, "utf8");
}

/** What the file has too much of; undefined if nothing. */
function excessOf(models: readonly string[]): string | undefined {
  if (models.length > MAX_MODELS) return `must have at most ${MAX_MODELS} models, not ${models.length}`;
  const short = models.filter((model) => isShortGlob(model)).length;
  if (short <= MAX_SHORT_GLOBS) return undefined;
  return `must have at most ${MAX_SHORT_GLOBS} globs with fewer than ${SHORT_LITERAL} characters in a row, not ${short}`;
}

function isShortGlob(model: string): boolean {
  const literals = model.split("*");
  return literals.length > 1 && literals.every((literal) => literal.length < SHORT_LITERAL);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
  } catch {
    // The message of the parser quotes the file.
    return undefined;
  }
}

function problemOf(price: unknown): string | undefined {
  if (!isRecord(price)) return "must be an object";
  const missing = REQUIRED.find((key) => !Object.hasOwn(price, key));
  if (missing !== undefined) return `must have ${missing}`;
  const wrong = Object.entries(price).find(([key, value]) => PRICES.has(key) && !isPrice(value));
  const unit = wrong?.[0] === "context_window" ? "tokens" : "USD per million tokens";
  return wrong && `must have ${wrong[0]} in ${unit}, 0 or more`;
}

function isPrice(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
