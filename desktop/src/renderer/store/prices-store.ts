import type { ListedPrice, ModelPrices } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import type { CollectorApi } from "../api/collector-api.js";

/** Prices of models by their names in spans. */
export interface PricesState {
  /** Null: the collector has none. Missing: not asked for, or not answered yet. */
  readonly byModel: ReadonlyMap<string, ModelPrices | null>;
  /** Asks for those that are not known. */
  find(models: Iterable<string>): Promise<void>;
}
export type PricesStore = ReturnType<typeof createPricesStore>;

/** Most models that are asked for at once, as the collector allows. */
const MAX_ASKED = 50;
/** Names that a sender makes up do not fill the memory: known prices are forgotten together. */
const MAX_KNOWN = 1000;
/** No model has a longer name. */
const MAX_LENGTH = 256;

/** They change only when the collector restarts. */
export function createPricesStore({ api }: { readonly api: Pick<CollectorApi, "findPrices"> }) {
  const pending = new Set<string>();
  return createStore<PricesState>()((set, get) => ({
    byModel: new Map(),
    async find(models) {
      const isNew = (model: string): boolean =>
        model.length <= MAX_LENGTH && !get().byModel.has(model) && !pending.has(model);
      const asked = [...new Set(models)].filter(isNew).slice(0, MAX_ASKED);
      if (asked.length === 0) return;
      for (const model of asked) pending.add(model);
      try {
        const { models: found } = await api.findPrices(asked);
        const prices = new Map(found.map((price) => [price.model, withDefaults(price)]));
        const known = get().byModel;
        set({
          byModel: new Map([
            ...(known.size + asked.length > MAX_KNOWN ? [] : known),
            ...asked.map((model) => [model, prices.get(model) ?? null] as const),
          ]),
        });
      } catch {
        // What the prices are for is not shown; the next one that needs them asks again.
      } finally {
        for (const model of asked) pending.delete(model);
      }
    },
  }));
}

/** A price that is absent is that of all input, or of all output. */
function withDefaults({
  input_per_1m: input,
  output_per_1m: output,
  cached_input_per_1m: cached = input,
  cache_write_per_1m: write = input,
  reasoning_per_1m: reasoning = output,
}: ListedPrice): ModelPrices {
  return {
    input_per_1m: input,
    cached_input_per_1m: cached,
    cache_write_per_1m: write,
    output_per_1m: output,
    reasoning_per_1m: reasoning,
  };
}
