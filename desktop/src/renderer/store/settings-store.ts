import type { ConfigCheck, ConfigDescription, PriceTable } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import { asCollectorError, type CollectorApi, type CollectorError } from "../api/collector-api.js";
import { omit } from "./omit.js";
import { problemsAtEdits } from "./option-problems.js";
import { optionValue, shownText } from "./option-text.js";
import { createRemoteData, type StoreClock } from "./remote-data.js";

export interface SettingsState {
  readonly description: ConfigDescription | undefined;
  readonly prices: PriceTable | undefined;
  /** Why the configuration cannot be shown. */
  readonly error: CollectorError | undefined;
  /** What was typed, by key; null removes the key from the file. */
  readonly drafts: Readonly<Record<string, string | null>>;
  /** What the collector says of the drafts. */
  readonly check: ConfigCheck | undefined;
  readonly isSaving: boolean;
  /** What the collector last refused, as a sentence. */
  readonly failure: string | undefined;
}

export interface SettingsActions {
  load(): Promise<void>;
  edit(key: string, text: string | null): void;
  discard(): void;
  save(): Promise<void>;
  /** Saves what was typed if the collector finds no problem in it now; otherwise says what prevents it. */
  saveChecked(): Promise<void>;
}

export interface SettingsStoreOptions extends StoreClock {
  readonly api: Pick<CollectorApi, "getConfig" | "getPrices" | "checkConfig" | "putConfig">;
}

const REFRESH = { intervalMs: 1000, restFactor: 5 };
/** While someone types. */
const CHECK = { intervalMs: 250, restFactor: 1 };

/** The configuration of the collector, and changes of it that are not saved yet. */
export function createSettingsStore({ api, ...clock }: SettingsStoreOptions) {
  return createStore<SettingsState & SettingsActions>()((set, get) => {
    const data = createRemoteData({
      fetch: async (signal) => await Promise.all([api.getConfig(signal), api.getPrices(signal)]),
      onData: ([description, prices]) => set({ description, prices, error: undefined }),
      onError: (error) => set({ error }),
      refresh: REFRESH,
      ...clock,
    });
    const check = createRemoteData({
      fetch: (signal) => api.checkConfig(values(), signal),
      onData: (checked) => set({ check: checked, failure: undefined }),
      onError: ({ message }) => set({ failure: message }),
      refresh: CHECK,
      ...clock,
    });

    /** The drafts as the collector takes them. */
    function values(): Record<string, unknown> {
      const { description, drafts } = get();
      return Object.fromEntries(
        Object.entries(drafts).map(([key, text]) => {
          const entry = description?.config[key];
          return [key, entry === undefined ? text : optionValue(text, entry.schema)];
        }),
      );
    }

    return {
      description: undefined,
      prices: undefined,
      error: undefined,
      drafts: {},
      check: undefined,
      isSaving: false,
      failure: undefined,
      async load() {
        await data.load();
        if (get().description?.file != null) await check.load();
      },
      edit(key, text) {
        const { description, drafts } = get();
        const entry = description?.config[key];
        const isUnchanged = entry !== undefined && text === shownText(entry);
        set({ drafts: isUnchanged ? omit(drafts, key) : { ...drafts, [key]: text } });
        check.invalidate();
      },
      discard() {
        set({ drafts: {}, failure: undefined });
        check.invalidate();
      },
      async save() {
        set({ isSaving: true, failure: undefined });
        try {
          const { drafts: saved } = get();
          await api.putConfig(values());
          // What was typed meanwhile stays.
          set(({ drafts }) => ({
            drafts: Object.fromEntries(Object.entries(drafts).filter(([key, text]) => text !== saved[key])),
          }));
          await Promise.all([data.load(), check.load()]);
        } catch (error) {
          set({ failure: asCollectorError(error).message });
        }
        set({ isSaving: false });
      },

      async saveChecked() {
        if (Object.keys(get().drafts).length === 0) return;
        // What is shown may be of an earlier text.
        await check.load();
        const { drafts, check: checked, failure } = get();
        if (failure !== undefined) return;
        const problems = problemsAtEdits(checked?.problems ?? {}, Object.keys(drafts));
        const [first] = problems;
        if (first === undefined) {
          await get().save();
          return;
        }
        const more = problems.size === 1 ? "" : ` ${problems.size - 1} more.`;
        set({ failure: `Not saved. ${first[0]}: ${first[1]}${more}` });
      },
    };
  });
}
export type SettingsStore = ReturnType<typeof createSettingsStore>;
