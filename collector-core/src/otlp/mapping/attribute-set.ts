import type { JsonValue } from "@obspan/sdk/wire";
import { isRecord } from "../../span/span-facts.js";

/** Reads a value; undefined where it is not what is looked for. */
export type ReadValue<T> = (value: JsonValue) => T | undefined;

/**
 * The attributes of a span while they are being mapped: what has been understood is taken out, and what is left is kept
 * as it came (contract 6).
 */
export class AttributeSet {
  constructor(private readonly values: Map<string, JsonValue>) {}

  get(key: string): JsonValue | undefined {
    return this.values.get(key);
  }

  has(key: string): boolean {
    return this.values.has(key);
  }

  keys(): IterableIterator<string> {
    return this.values.keys();
  }

  delete(key: string): void {
    this.values.delete(key);
  }

  /** The text under a key, where there is one that is not empty. */
  text(key: string): string | undefined {
    return asText(this.values.get(key));
  }

  /** The first of the keys whose value can be read, without taking it. */
  peek<T>(keys: readonly string[], read: ReadValue<T>): T | undefined {
    for (const key of keys) {
      const value = this.values.get(key);
      const result = value === undefined ? undefined : read(value);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  /** The first of the keys whose value can be read. All that say the same are taken with it; what differs stays. */
  take<T extends string | number | boolean>(keys: readonly string[], read: ReadValue<T>): T | undefined {
    let found: T | undefined;
    for (const key of keys) {
      const value = this.values.get(key);
      if (value === undefined) continue;
      const result = read(value);
      if (result === undefined) continue;
      found ??= result;
      if (result === found) this.values.delete(key);
    }
    return found;
  }

  /** What is left, in the order in which it came. */
  rest(): IterableIterator<[string, JsonValue]> {
    return this.values.entries();
  }
}

/** A text that is not empty. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A number; some senders write numbers as text. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(value)) return undefined;
  return Number(value);
}

export function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value === "true" || value === "false") return value === "true";
  return undefined;
}

/** A record, or the record that a text of JSON is. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const parsed = parsedJson(value);
  return isRecord(parsed) ? parsed : undefined;
}

/** A list, or the list that a text of JSON is. */
export function asList(value: unknown): readonly unknown[] | undefined {
  const parsed = parsedJson(value);
  return Array.isArray(parsed) ? (parsed as unknown[]) : undefined;
}

/** Deepest nesting of a JSON text that is read. What is deeper stays a text (contract 1: 32 with the span around it). */
const MAX_JSON_DEPTH = 24;

/** What a text of a JSON object or list says; any other value as it is. */
export function parsedJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const first = value.trimStart()[0];
  if (first !== "{" && first !== "[") return value;
  try {
    const parsed = JSON.parse(value) as object;
    return isShallow(parsed, MAX_JSON_DEPTH) ? parsed : value;
  } catch {
    return value;
  }
}

function isShallow(value: object, levels: number): boolean {
  if (levels === 0) return false;
  for (const item of Object.values(value) as unknown[]) {
    if (typeof item === "object" && item !== null && !isShallow(item, levels - 1)) return false;
  }
  return true;
}
