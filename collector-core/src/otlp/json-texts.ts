import type { JsonValue } from "@obspan/sdk/wire";
import { JsonScanner, MAX_RARE_KEYS, SHORTEST_SCANNED } from "../span/json-bounds.js";

/** Objects and arrays parsed from the JSON texts of one request, at most. Texts beyond it stay texts. */
const MAX_CONTAINERS = 400_000;

/** Bounds on the texts that are parsed. Texts beyond them stay texts. */
export interface JsonTextLimits {
  /** Objects and arrays in the texts of one span. */
  readonly maxContainers: number;
  /** Weight of the rare keys in the texts of the request so far. */
  readonly maxRareKeys: number;
}

/**
 * Of a span that Obspan exported. It has its excess attributes and events as JSON with a rare key each: 80,000 attributes
 * and half as many events must be parsed, since the export is lossless.
 */
export const OWN_SPAN_LIMITS: JsonTextLimits = {
  maxContainers: MAX_CONTAINERS,
  maxRareKeys: 4 * MAX_RARE_KEYS,
};
/**
 * Of a span of another library, whose texts may be messages in any layout. A long conversation has several thousand
 * objects. Each costs about two microseconds of mapping, and a span is mapped in one turn of the event loop.
 */
export const FOREIGN_SPAN_LIMITS: JsonTextLimits = { maxContainers: 50_000, maxRareKeys: MAX_RARE_KEYS };

/** Text that costs as much to parse as one object. */
const CHARS_PER_CONTAINER = 128;

/**
 * Parses the JSON texts of one request within bounds that its texts share, so that many short texts cost no more than one
 * long text. The first 256 KiB of text are parsed without a scan for the bounds; their objects are counted afterwards.
 */
export class JsonTexts {
  readonly #scanner = new JsonScanner();
  #chars = 0;
  /** Objects and arrays of the texts that were parsed without a scan. */
  #unscannedContainers = 0;
  /** The number of objects and arrays of the request that the texts of the current span may reach. */
  #maxOfSpan = MAX_CONTAINERS;
  #maxRareKeys = MAX_RARE_KEYS;

  /** Sets the limits of the next span. */
  startSpan({ maxContainers, maxRareKeys }: JsonTextLimits): void {
    this.#maxOfSpan = Math.min(MAX_CONTAINERS, this.#containers + maxContainers);
    this.#maxRareKeys = maxRareKeys;
  }

  /** What the parsed texts of the request cost so far, in objects: grows until the mapping of a request should yield. */
  get cost(): number {
    const { rareKeys, rareStrings } = this.#scanner;
    return this.#containers + rareKeys + rareStrings + Math.trunc(this.#chars / CHARS_PER_CONTAINER);
  }

  get #containers(): number {
    return this.#unscannedContainers + this.#scanner.containers;
  }

  /**
   * Parses a text of JSON.
   *
   * @param maxDepth - deepest nesting.
   * @returns undefined if the text is not JSON, is nested deeper, or exceeds a bound of its span or request.
   */
  parse(text: string, maxDepth: number): JsonValue | undefined {
    const maxContainers = this.#maxOfSpan - this.#containers;
    if (maxContainers <= 0) return undefined;
    this.#chars += text.length;
    const isScanned = this.#chars >= SHORTEST_SCANNED;
    if (isScanned) {
      const bounds = { maxDepth, maxContainers, maxRareKeys: this.#maxRareKeys };
      if (this.#scanner.exceededBound(Buffer.from(text), bounds) !== undefined) return undefined;
    }
    let value: JsonValue;
    try {
      value = JSON.parse(text) as JsonValue;
    } catch {
      return undefined;
    }
    if (isScanned || typeof value !== "object" || value === null) return value;
    return isShallow(value, maxDepth, () => this.#unscannedContainers++) ? value : undefined;
  }

  /** Returns the object or array that a text of JSON holds; any other value unchanged. */
  parsed(value: unknown): unknown {
    if (typeof value !== "string" || !LOOKS_LIKE_JSON.test(value)) return value;
    return this.parse(value, MAX_JSON_DEPTH) ?? value;
  }
}

/** Deepest nesting of a JSON text that is parsed. A deeper one stays a text (contract 1: 32 with the span around it). */
const MAX_JSON_DEPTH = 24;

const LOOKS_LIKE_JSON = /^\s*[{[]/;

/**
 * True if a value is nested at most so many levels deep.
 *
 * @param visit - called with each object and array.
 */
export function isShallow(value: object, levels: number, visit?: () => void): boolean {
  visit?.();
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) {
      if (typeof item === "object" && item !== null && !isShallow(item, levels - 1, visit)) return false;
    }
    return true;
  }
  const record = value as Record<string, unknown>;
  for (const key in record) {
    const item = record[key];
    if (typeof item === "object" && item !== null && !isShallow(item, levels - 1, visit)) return false;
  }
  return true;
}
