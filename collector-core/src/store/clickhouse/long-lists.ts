import { TupleParam } from "@clickhouse/client";
import { together } from "./together.js";

/** Values of the parameters of a statement: `{name:Type}` in its text. A tuple is a `TupleParam`. */
export type Parameters = Readonly<Record<string, unknown>>;

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: Parameters;
}

/** ClickHouse refuses a parameter of more than 128 KiB: its `http_max_field_value_size`. */
const MAX_BYTES = 120 * 1024;
/** A byte in a URL, such as `%27`. */
const BYTES_IN_URL = 3;
/** Of a number. */
const NUMBER_BYTES = 24;

/**
 * Sends long lists as several parameters, which ClickHouse joins before it reads anything: the keys of many traces are longer than one
 * parameter may be.
 *
 * @param isInUrl - whether the parameters are a part of the URL, rather than of the body.
 */
export function splitLists({ sql, parameters }: Statement, isInUrl: boolean): Statement {
  const maxBytes = isInUrl ? Math.floor(MAX_BYTES / BYTES_IN_URL) : MAX_BYTES;
  const split: Record<string, unknown> = {};
  const partsOf = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(parameters)) {
    const parts = Array.isArray(value) ? [...together<unknown>(value, mostBytesOf, maxBytes)] : [];
    if (parts.length < 2) {
      split[name] = value;
      continue;
    }
    partsOf.set(
      name,
      parts.map((part, index) => {
        const partName = `${name}_${index}`;
        split[partName] = part;
        return partName;
      }),
    );
  }
  if (partsOf.size === 0) return { sql, parameters };
  const joined = sql.replaceAll(/\{(\w+):([^{}]+)\}/g, (whole, name: string, type: string) => {
    const parts = partsOf.get(name);
    return parts === undefined
      ? whole
      : `arrayConcat(${parts.map((part) => `{${part}:${type}}`).join(", ")})`;
  });
  return { sql: joined, parameters: split };
}

/** The most bytes that an item of a list takes: each byte of a text may be escaped. */
function mostBytesOf(item: unknown): number {
  if (typeof item === "string") return 2 * Buffer.byteLength(item) + "'',".length;
  if (item instanceof TupleParam)
    return item.values.reduce<number>((sum, value) => sum + mostBytesOf(value), "(),".length);
  return NUMBER_BYTES;
}
