/**
 * What a model costs, in USD per million tokens, and how much it reads. A price that is absent falls back to the one that it
 * refines.
 */
export interface ModelPrice {
  readonly input_per_1m: number;
  readonly output_per_1m: number;
  /** Default: `input_per_1m`. */
  readonly cached_input_per_1m?: number;
  /** Default: `input_per_1m`. */
  readonly cache_write_per_1m?: number;
  /** Default: `output_per_1m`. */
  readonly reasoning_per_1m?: number;
  /** Tokens of input and output that a call may have. Absent if not known. */
  readonly context_window?: number;
}

/** Prices by model name or glob (`*` matches any characters). */
export type PriceProfile = Readonly<Record<string, ModelPrice>>;

/** The content of a pricing JSON: profiles by name. */
export type PriceTable = Readonly<Record<string, PriceProfile>>;
