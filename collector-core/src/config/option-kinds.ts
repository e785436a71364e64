/**
 * The kinds of option values. A kind reads the text of an environment variable and the value of a YAML key. Its
 * one-line rule appears in problems, `--help` and the reference page, and its schema in the JSON Schema.
 */

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A valid value, or the detail of the broken rule (empty if the rule itself is enough). */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly detail: string;
      /** Further details, one line each. */
      readonly moreDetails?: readonly string[];
    };

/** A type with its limits. */
export interface OptionKind<T> {
  /** Completes "must be": `a whole number from 1 to 500,000`. */
  readonly rule: string;
  readonly schema: JsonSchema;
  /** Converts the text of an environment variable to the value that YAML gives; undefined if it is not of this kind. */
  parse(text: string): unknown;
  check(value: unknown): Reading<T>;
  /** Returns the raw text as a problem may quote it. Default: unchanged. */
  quote?(raw: string): string;
}

/** Limits of a number, inclusive except `above`. */
export interface NumberLimits {
  readonly minimum?: number;
  readonly above?: number;
  readonly maximum?: number;
}

const REFUSED = { ok: false, detail: "" } as const;
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** A finite number, written as a decimal. */
export function number(limits: NumberLimits = {}): OptionKind<number> {
  return numeric("a number", "number", limits, Number.isFinite);
}

/** A number without a fraction that JavaScript can hold exactly. */
export function integer(limits: NumberLimits = {}): OptionKind<number> {
  return numeric("a whole number", "integer", limits, Number.isSafeInteger);
}

function numeric(
  noun: string,
  type: "number" | "integer",
  limits: NumberLimits,
  isOne: (value: unknown) => boolean,
): OptionKind<number> {
  const { minimum, above, maximum } = limits;
  return {
    rule: noun + limitsRule(limits),
    schema: {
      type,
      ...(minimum === undefined ? {} : { minimum }),
      ...(above === undefined ? {} : { exclusiveMinimum: above }),
      ...(maximum === undefined ? {} : { maximum }),
    },
    // `Number()` also accepts spaces, `0x10`, `1e400` and the empty string.
    parse: (text) => (DECIMAL.test(text) ? Number(text) : undefined),
    check(value) {
      if (typeof value !== "number" || !isOne(value)) return REFUSED;
      if (minimum !== undefined && value < minimum) return REFUSED;
      if (above !== undefined && value <= above) return REFUSED;
      if (maximum !== undefined && value > maximum) return REFUSED;
      return { ok: true, value };
    },
  };
}

function limitsRule({ minimum, above, maximum }: NumberLimits): string {
  const upTo = maximum === undefined ? "" : grouped(maximum);
  if (above !== undefined) return ` above ${grouped(above)}${upTo && `, at most ${upTo}`}`;
  if (minimum !== undefined)
    return upTo ? ` from ${grouped(minimum)} to ${upTo}` : `, ${grouped(minimum)} or more`;
  return upTo && `, at most ${upTo}`;
}

/** Formats `10,000`. Loading the locales of `toLocaleString` takes longer than reading all options. */
function grouped(value: number): string {
  const [whole = "", fraction] = String(value).split(".");
  // eslint-disable-next-line regexp/no-super-linear-move -- a number has at most 21 digits
  const groups = whole.replace(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

/** `true` or `false`, case-insensitive in an environment variable. */
export function boolean(): OptionKind<boolean> {
  return {
    rule: "true or false",
    schema: { type: "boolean" },
    parse(text) {
      const word = text.toLowerCase();
      return word === "true" ? true : word === "false" ? false : undefined;
    },
    check: (value) => (typeof value === "boolean" ? { ok: true, value } : REFUSED),
  };
}

/** Longest text of an option, if it says no other: no name, path, key or address is longer. */
export const MAX_TEXT_LENGTH = 4096;

/** A non-empty string. */
export function text(limits: {
  readonly rule: string;
  readonly pattern?: RegExp;
  readonly maxLength?: number;
  /** A further check, for rules that a pattern cannot express. */
  readonly isValid?: (value: string) => boolean;
}): OptionKind<string> {
  const { rule, pattern = /^./su, maxLength = MAX_TEXT_LENGTH, isValid = () => true } = limits;
  return {
    rule,
    schema: { type: "string", pattern: pattern.source, maxLength },
    parse: (value) => value,
    check(value) {
      if (typeof value !== "string") return REFUSED;
      if (value.length > maxLength)
        return { ok: false, detail: `it has more than ${grouped(maxLength)} characters` };
      return pattern.test(value) && isValid(value) ? { ok: true, value } : REFUSED;
    },
  };
}

/** Strings by name: a YAML map, or `name=text,other=text` in an environment variable. */
export function textMap(limits: {
  readonly rule: string;
  readonly isName: RegExp;
  readonly isText: RegExp;
  /** What a text may consist of. */
  readonly textRule: string;
}): OptionKind<Readonly<Record<string, string>>> {
  const { rule, isName, isText, textRule } = limits;
  return {
    rule,
    schema: {
      type: "object",
      propertyNames: { pattern: isName.source },
      additionalProperties: { type: "string", pattern: isText.source },
    },
    parse(text) {
      const entries = text.split(",").map((pair) => {
        const at = pair.indexOf("=");
        return at < 0 ? undefined : ([pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const);
      });
      return entries.includes(undefined)
        ? undefined
        : Object.fromEntries(entries.filter((pair) => pair !== undefined));
    },
    check(value) {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return REFUSED;
      for (const [name, text] of Object.entries(value as Record<string, unknown>)) {
        if (!isName.test(name)) return { ok: false, detail: `${JSON.stringify(name)} cannot be a name` };
        if (typeof text !== "string" || !isText.test(text))
          return { ok: false, detail: `the text of ${JSON.stringify(name)} must consist of ${textRule}` };
      }
      return { ok: true, value: value as Record<string, string> };
    },
  };
}

/** One of `values`. With `ignoreCase` the match ignores case and yields the spelling in `values`. */
export function enumeration<const T extends string>(
  values: readonly T[],
  { ignoreCase = false } = {},
): OptionKind<T> {
  const folded = (word: string) => (ignoreCase ? word.toLowerCase() : word);
  return {
    rule: `one of ${values.join(", ")}${ignoreCase ? " (in any letter case)" : ""}`,
    schema: { enum: values },
    parse: (value) => value,
    check(value) {
      const found =
        typeof value === "string" ? values.find((word) => folded(word) === folded(value)) : undefined;
      return found === undefined ? REFUSED : { ok: true, value: found };
    },
  };
}

/** Limits of a list. */
export interface ListLimits {
  /** Plural description of the items: `numbers above 0`. */
  readonly items: string;
  readonly minimumCount?: number;
  readonly maximumCount?: number;
  /** Each item must be larger than the previous one. */
  readonly ascending?: boolean;
}

/** Several values of one kind: a YAML list, or separated by commas in an environment variable. */
export function list<T extends string | number>(
  item: OptionKind<T>,
  { items, minimumCount = 0, maximumCount = Infinity, ascending = false }: ListLimits,
): OptionKind<readonly T[]> {
  const count = maximumCount === Infinity ? "" : ` of ${minimumCount} to ${maximumCount}`;
  return {
    rule: `a list${count}${count ? " " : " of "}${items}${ascending ? ", each larger than the one before" : ""}`,
    schema: {
      type: "array",
      items: item.schema,
      ...(minimumCount === 0 ? {} : { minItems: minimumCount }),
      ...(maximumCount === Infinity ? {} : { maxItems: maximumCount }),
    },
    parse: (value) => value.split(",").map((part) => item.parse(part.trim())),
    ...(item.quote === undefined ? {} : { quote: quoteItems(item.quote.bind(item)) }),
    check(value) {
      if (!Array.isArray(value)) return REFUSED;
      if (value.length < minimumCount || value.length > maximumCount)
        return { ok: false, detail: `there are ${value.length}` };
      const kept: T[] = [];
      for (const [index, element] of value.entries()) {
        const reading = item.check(element);
        if (!reading.ok) return { ok: false, detail: `item ${index + 1} must be ${item.rule}` };
        const previous = kept.at(-1);
        if (ascending && previous !== undefined && reading.value <= previous)
          return { ok: false, detail: `item ${index + 1} is not larger than item ${index}` };
        kept.push(reading.value);
      }
      return { ok: true, value: kept };
    },
  };
}

/** Quotes the items of a list: the parts between commas, brackets and the dashes of YAML. */
function quoteItems(quote: (raw: string) => string): (raw: string) => string {
  return (raw) => raw.replace(/[^\s,[\]]+/g, (item) => (item === "-" ? item : quote(item)));
}
