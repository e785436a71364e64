/** The part of a span that pricing reads and sets. */
export interface PricedSpan {
  readonly name: string;
  readonly spanType: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  put(key: string, value: unknown): void;
}
