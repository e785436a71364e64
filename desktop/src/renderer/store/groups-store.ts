import type { GroupOrder, LiveEvent, TraceGroup, TraceGroups } from "@obspan/collector-core/api-schema";
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
  /** Of the same question about the time before, if it is about a time that has a start. */
  readonly before: GroupsBefore | undefined;
  /** `answer` is of an earlier question. */
  readonly isStale: boolean;
  readonly error: CollectorError | undefined;
}

/** The groups of the time before, of equal length. */
export interface GroupsBefore {
  readonly groups: ReadonlyMap<string | null, TraceGroup>;
  /** Whether a group that is not among them had no runs. */
  readonly isWhole: boolean;
}

export interface GroupsActions {
  load(): Promise<void>;
  /** Fetches the groups if they are watched. */
  ask(question: GroupsQuestion): void;
  onLive(event: LiveEvent): void;
  onConnected(unchangedMs: number): void;
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
export function createGroupsStore({ api, isPaused, schedule, now = Date.now }: GroupsStoreOptions) {
  return createStore<GroupsState & GroupsActions>()((set, get) => {
    const data = createRemoteData({
      async fetch(signal) {
        const { question } = get();
        if (question === undefined) return { answer: undefined, before: undefined };
        const { filters, by, order } = question;
        const earlier = timeBefore(filters, now());
        const [answer, before] = await Promise.all([
          api.getGroups({ ...filters, by, order }, signal),
          earlier && api.getGroups({ ...filters, ...earlier, by, order }, signal),
        ]);
        return { answer, before: before && groupsBefore(before) };
      },
      onData: (fetched) => set({ ...fetched, isStale: false, error: undefined }),
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
      before: undefined,
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
      onConnected: (unchangedMs) => watched.catchUp(unchangedMs),
      watch: () => watched.watch(),
    };
  });
}
export type GroupsStore = ReturnType<typeof createGroupsStore>;

/** As long a time, up to the start of the filters; undefined if they have none. */
function timeBefore(
  { since = "", until }: TraceFilters,
  nowMs: number,
): Pick<TraceFilters, "since" | "until"> | undefined {
  const startMs = Date.parse(since);
  const lengthMs = (until === undefined ? nowMs : Date.parse(until)) - startMs;
  // Also false for what is no time.
  if (!(lengthMs > 0 && startMs > lengthMs)) return undefined;
  return { since: new Date(startMs - lengthMs).toISOString(), until: since };
}

function groupsBefore({ groups, other, unread }: TraceGroups): GroupsBefore {
  return {
    groups: new Map(groups.map((group) => [group.value, group])),
    isWhole: other === null && unread === 0,
  };
}

function isSame(a: GroupsQuestion, b: GroupsQuestion): boolean {
  return a.by === b.by && a.order === b.order && areSameFilters(a.filters, b.filters);
}
