import type { JsonValue } from "@obspan/sdk/wire";
import type { AttributeSet } from "./attribute-set.js";

/** A value that was sent as one attribute per leaf. */
export type Nested = JsonValue | NestedRecord;
export interface NestedRecord {
  [key: string]: Nested;
}

/** Limits of path depth and index. Attributes beyond them are kept unchanged. */
const MAX_PATH = 12;
const MAX_ITEMS = 10_000;
/** Limit of the attributes of a list, some for each of its items. A longer list is kept unchanged: it is read in one turn. */
const MAX_LEAVES = 20_000;

/**
 * Rebuilds a list that was sent leaf by leaf, such as `llm.input_messages.0.message.role`. The attributes are taken out by
 * `take`, which the caller calls after it has mapped the items: all attributes, or those of the given fields.
 *
 * @returns undefined if no attribute belongs to the list.
 */
export function readIndexed(
  attributes: AttributeSet,
  prefix: string,
):
  | { readonly items: readonly NestedRecord[]; readonly take: (fields?: ReadonlySet<string>) => void }
  | undefined {
  const start = `${prefix}.`;
  const keys = [...attributes.keys()].filter(
    (key) => key.startsWith(start) && isDigit(key.charCodeAt(start.length)),
  );
  if (keys.length === 0 || keys.length > MAX_LEAVES) return undefined;
  const byIndex = new Map<number, NestedRecord>();
  const taken: (readonly [key: string, field: string])[] = [];
  for (const key of keys) {
    const [index = "", ...path] = key.slice(start.length).split(".");
    const value = attributes.get(key);
    const number = Number(index);
    if (!(number < MAX_ITEMS) || path.length === 0 || path.length > MAX_PATH || value === undefined) continue;
    const item = byIndex.get(number) ?? newRecord();
    byIndex.set(number, item);
    // Skips a leaf without a value, such as an absent call.
    if (value === null || put(item, path, value)) taken.push([key, path[0] ?? ""]);
  }
  const items = [...byIndex.entries()].toSorted(([a], [b]) => a - b).map(([, item]) => item);
  return {
    items,
    take: (fields) => {
      for (const [key, field] of taken) if (fields?.has(field) !== false) attributes.delete(key);
    },
  };
}

/** The values of a record with index keys, in order; `[]` for other values. */
export function itemsOf(value: Nested | undefined): Nested[] {
  if (Array.isArray(value)) return value;
  if (!isNestedRecord(value)) return [];
  return Object.keys(value)
    .filter((key) => isDigit(key.charCodeAt(0)))
    .toSorted((a, b) => Number(a) - Number(b))
    .map((key) => value[key] ?? null);
}

export function isNestedRecord(value: unknown): value is NestedRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without a prototype, so that `__proto__` is an ordinary key. */
function newRecord(): NestedRecord {
  return Object.create(null) as NestedRecord;
}

function put(record: NestedRecord, path: readonly string[], value: JsonValue): boolean {
  let at = record;
  for (const [depth, key] of path.entries()) {
    if (depth === path.length - 1) {
      if (isNestedRecord(at[key])) return false;
      at[key] = value;
      return true;
    }
    const next = at[key] ?? newRecord();
    if (!isNestedRecord(next)) return false;
    at[key] = next;
    at = next;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
