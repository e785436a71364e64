import type { GroupOrder, LiveEvent, TraceGroups } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import type { CollectorApi, CollectorError, TraceFilters } from "../api/collector-api.js";
import { createRemoteData, watchData, type StoreClock } from "./remote-data.js";
import { areSameFilters } from "./traces-state.js";

/** What is grouped, by what, and in which order. */
export interface GroupsQuestion {
  readonly filters: TraceFilters;
  /** A key of the query language, or `@attribute`. */
  readonly by: string;
  readonly order: GroupOrder;
}

export interface GroupsState {
  readonly question: GroupsQuestion | undefined;
  /** Undefined until they were fetched. */
  readonly answer: TraceGroups | undefined;
  /** `answer` is of an earlier question. */
  readonly isStale: boolean;
  readonly error: CollectorError | undefined;
}

export interface GroupsActions {
  load(): Promise<void>;
  /** Fetches the groups if they are watched. */
  ask(question: GroupsQuestion): void;
  onLive(event: LiveEvent): void;
  onConnected(): void;
  /** The groups are visible: follows changes. Returns the function that stops it. */
  watch(): () => void;
}

export interface GroupsStoreOptions extends StoreClock {
  readonly api: Pick<CollectorApi, "getGroups">;
  readonly isPaused: () => boolean;
}

/** Groups are computed from all matching traces: less often than a list, and never most of the time. */
const REFRESH = { intervalMs: 2000, restFactor: 10 } as const;

/** The figures of the matching traces, by value of a key. */
export function createGroupsStore({ api, isPaused, schedule, now }: GroupsStoreOptions) {
  return createStore<GroupsState & GroupsActions>()((set, get) => {
    const data = createRemoteData({
      async fetch(signal) {
        const { question } = get();
        if (question === undefined) return undefined;
        const { filters, by, order } = question;
        return await api.getGroups({ ...filters, by, order }, signal);
      },
      onData: (answer) => set({ answer, isStale: false, error: undefined }),
      // Groups that are shown stay, unless they answer another question.
      onError: (error) => set(get().isStale ? { error, answer: undefined } : { error }),
      refresh: REFRESH,
      canRefresh: () => !isPaused(),
      schedule,
      now,
    });
    const watched = watchData(data);

    return {
      question: undefined,
      answer: undefined,
      isStale: false,
      error: undefined,

      load: () => data.load(),

      ask(question) {
        const { question: before, answer } = get();
        if (before !== undefined && isSame(before, question)) return;
        // Values of another key would be read as those of this one.
        const isOtherKey = before?.by !== question.by;
        set({ question, answer: isOtherKey ? undefined : answer, isStale: true, error: undefined });
        if (watched.isWatched()) void data.load();
      },

      onLive(event) {
        if (event.type === "trace" || event.type === "evaluation" || event.type === "reset")
          watched.invalidate();
      },
      onConnected: () => watched.invalidate(),
      watch: () => watched.watch(),
    };
  });
}
export type GroupsStore = ReturnType<typeof createGroupsStore>;

function isSame(a: GroupsQuestion, b: GroupsQuestion): boolean {
  return a.by === b.by && a.order === b.order && areSameFilters(a.filters, b.filters);
}
