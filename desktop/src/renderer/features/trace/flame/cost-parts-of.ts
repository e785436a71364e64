import { numberOf, textOf, type FlameFrame } from "@obspan/collector-core/analysis";
import type { ModelPrices } from "@obspan/collector-core/api-schema";

/** Tokens of one price. */
export interface CostPart {
  readonly name: string;
  /** Whether the tokens are read from the cache, are sent for the first time, or are the answer. */
  readonly kind: "cached" | "input" | "output";
  readonly tokens: number;
  readonly price: number;
}

/** In the order of a request. Writing to the cache and reasoning are shown where a call reports them. */
export function costPartsOf(
  { nodes, usage: { input, cached, output } }: FlameFrame,
  prices: ModelPrices,
): CostPart[] {
  const sumOf = (key: string): number =>
    nodes.reduce((sum, { span }) => sum + Math.max(0, numberOf(span, key) ?? 0), 0);
  const written = Math.min(sumOf("tokens_cache_write"), input - cached);
  const reasoning = Math.min(sumOf("tokens_reasoning"), output);
  const hasOwnPrice = reasoning > 0 && prices.reasoning_per_1m !== prices.output_per_1m;
  const parts: CostPart[] = [
    { name: "New input", kind: "input", tokens: input - cached - written, price: prices.input_per_1m },
  ];
  if (written > 0)
    parts.push({ name: "Into the cache", kind: "input", tokens: written, price: prices.cache_write_per_1m });
  parts.push(
    { name: "From the cache", kind: "cached", tokens: cached, price: prices.cached_input_per_1m },
    {
      name: "Output",
      kind: "output",
      tokens: hasOwnPrice ? output - reasoning : output,
      price: prices.output_per_1m,
    },
  );
  if (hasOwnPrice)
    parts.push({ name: "Reasoning", kind: "output", tokens: reasoning, price: prices.reasoning_per_1m });
  return parts;
}

/** The model of all spans of a frame; undefined if there are several. */
export function modelOf({ nodes: [first, ...others] }: FlameFrame): string | undefined {
  const model = first && textOf(first.span, "model");
  return others.every(({ span }) => textOf(span, "model") === model) ? model : undefined;
}
