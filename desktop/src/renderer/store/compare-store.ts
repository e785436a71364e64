import type {
  EvaluationList,
  LiveEvent,
  NormalizedSpan,
  StepPairAnswer,
  TraceComparison,
  TraceSummary,
} from "@obspan/collector-core/api-schema";
import { formatQueryTerm } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import type { CollectorApi, CollectorError, TraceKey } from "../api/collector-api.js";
import { commonPrompt, promptOf, versionsOf, type PromptVersions } from "./prompt-versions.js";
import { createRemoteData, type StoreClock } from "./remote-data.js";

/** The runs that are asked for. Without A, it is the run of the same name before B. */
export interface ComparedKeys {
  readonly a: TraceKey | undefined;
  readonly b: TraceKey;
  /** Without A: `prompt` asks for the latest run with another version of B's prompt. */
  readonly versus?: "prompt" | undefined;
}

/** The score that a judge or a user gave to a step. */
export type StepScore = EvaluationList["evaluations"][number];

/** The whole texts of a step. */
export interface StepDetail {
  /** {@link pairKey} of the step. */
  readonly key: string;
  /** Its own span and its wrappers, from inside; undefined if the run does not have the step. */
  readonly a: readonly NormalizedSpan[] | undefined;
  readonly b: readonly NormalizedSpan[] | undefined;
  readonly scores: Readonly<Record<Side, readonly StepScore[]>>;
}

export type Side = "a" | "b";

export interface CompareState {
  /** Undefined if no comparison is open. */
  readonly asked: ComparedKeys | undefined;
  /** What is compared: A is known. */
  readonly found: Readonly<Record<Side, TraceKey>> | undefined;
  readonly comparison: TraceComparison | undefined;
  /** `alone`: there is no earlier run of that name. `error`: nothing can be shown. */
  readonly phase: "loading" | "ready" | "alone" | "error";
  /** Why the comparison is not up to date. */
  readonly error: CollectorError | undefined;
  readonly detail: StepDetail | undefined;
  readonly detailError: CollectorError | undefined;
  /** Runs that may be chosen, the newest first. */
  readonly candidates: readonly TraceSummary[] | undefined;
  /** The prompt of both runs with the figures of its versions; undefined if they have none in common. */
  readonly prompt: PromptVersions | undefined;
}

export interface CompareActions {
  /** Follows changes until the returned function is called. */
  watch(): () => void;
  open(keys: ComparedKeys): Promise<void>;
  refresh(): Promise<void>;
  /** Loads the texts of a step. */
  show(pair: StepPairAnswer): void;
  retryDetail(): void;
  /** Loads the runs of the same name. */
  loadCandidates(): Promise<void>;
  /** The latest run with a version of the prompt. */
  findVersion(version: string): Promise<TraceKey | undefined>;
  onLive(event: LiveEvent): void;
  onConnected(unchangedMs: number): void;
}

export interface CompareStoreOptions extends StoreClock {
  readonly api: Pick<
    CollectorApi,
    "compareTraces" | "getSpan" | "getGroups" | "listTraces" | "listEvaluations"
  >;
}

const REFRESH = { intervalMs: 1000, restFactor: 5 } as const;
const MAX_CANDIDATES = 30;
const MAX_SCORES = 200;

const EMPTY = {
  found: undefined,
  comparison: undefined,
  phase: "loading",
  error: undefined,
  detail: undefined,
  detailError: undefined,
  candidates: undefined,
  prompt: undefined,
} as const satisfies Partial<CompareState>;

/** Two runs beside each other. */
export function createCompareStore({ api, ...clock }: CompareStoreOptions) {
  return createStore<CompareState & CompareActions>()((set, get) => {
    let shown: StepPairAnswer | undefined;
    let watchers = 0;
    /** What is shown has changed while nobody looked. */
    let isStale = false;

    const data = createRemoteData({
      async fetch(signal) {
        const { asked, found } = get();
        if (asked === undefined) return undefined;
        const keys = found ?? (await findRuns(asked, signal));
        if (keys === undefined) return "alone" as const;
        return { keys, comparison: await api.compareTraces(keys.a, keys.b, signal) };
      },
      onData(answer) {
        if (answer === undefined) return;
        if (answer === "alone") {
          set({ phase: "alone", error: undefined });
          return;
        }
        isStale = false;
        const { comparison, keys } = answer;
        const found = {
          a: { ...keys.a, tenant: comparison.a.tenant },
          b: { ...keys.b, tenant: comparison.b.tenant },
        };
        set({ comparison, found, phase: "ready", error: undefined });
        if (commonPrompt(comparison) === undefined) set({ prompt: undefined });
        else void versions.load();
        const after = comparison.steps.find((pair) => pairKey(pair) === (shown && pairKey(shown)));
        if (after !== undefined && hasChanged(shown, after)) get().show(after);
      },
      // The comparison stays while the collector is away, and after a trace was evicted.
      onError: (error) => set(get().comparison === undefined ? { phase: "error", error } : { error }),
      refresh: REFRESH,
      ...clock,
    });

    const detail = createRemoteData({
      async fetch(signal) {
        const { found } = get();
        const pair = shown;
        if (pair === undefined || found === undefined) return undefined;
        const [a, b, scoresOfA, scoresOfB] = await Promise.all([
          spansOf(found.a, pair.a, signal),
          spansOf(found.b, pair.b, signal),
          scoresOf(found.a, pair.a, signal),
          scoresOf(found.b, pair.b, signal),
        ]);
        return { key: pairKey(pair), a, b, scores: { a: scoresOfA, b: scoresOfB } };
      },
      onData: (loaded) => set({ detail: loaded, detailError: undefined }),
      onError: (detailError) => set({ detailError }),
      refresh: REFRESH,
      ...clock,
    });

    const versions = createRemoteData({
      async fetch(signal) {
        const { comparison } = get();
        const prompt = comparison && commonPrompt(comparison);
        if (comparison === undefined || prompt === undefined) return undefined;
        const { groups } = await api.getGroups(
          {
            by: "prompt",
            query: formatQueryTerm("prompt", [prompt.name]),
            tenant: comparison.b.tenant,
            order: "value",
          },
          signal,
        );
        return { ...prompt, versions: versionsOf(prompt.name, groups) };
      },
      onData: (prompt) => set({ prompt }),
      // The runs are shown without the figures of their prompts.
      onError: () => set({ prompt: undefined }),
      refresh: REFRESH,
      ...clock,
    });

    /** A link without a tenant compares the newest trace of the id. */
    async function findRuns(
      { a, b, versus }: ComparedKeys,
      signal: AbortSignal,
    ): Promise<CompareState["found"]> {
      if (a !== undefined && b.tenant !== undefined) return { a: { ...a, tenant: a.tenant ?? b.tenant }, b };
      const { traceId, tenant } = b;
      const { traces } = await api.listTraces(
        { trace_id: traceId, limit: 1, ...(tenant === undefined ? {} : { tenant }) },
        signal,
      );
      const [run] = traces;
      // The comparison says which of them is missing.
      if (run === undefined) return { a: a ?? b, b };
      const inB = { traceId, tenant: run.tenant };
      if (a !== undefined) return { a: { ...a, tenant: a.tenant ?? run.tenant }, b: inB };
      const earlier = await (versus === "prompt" ? otherVersion(run, signal) : previousRun(run, signal));
      return earlier && { a: { traceId: earlier.trace_id, tenant: earlier.tenant }, b: inB };
    }

    async function previousRun(run: TraceSummary, signal: AbortSignal): Promise<TraceSummary | undefined> {
      const { traces } = await api.listTraces(
        { root_name: run.root_name, tenant: run.tenant, until: run.start_time, order: "start", limit: 2 },
        signal,
      );
      return traces.find(({ trace_id: id }) => id !== run.trace_id);
    }

    async function otherVersion(run: TraceSummary, signal: AbortSignal): Promise<TraceSummary | undefined> {
      const prompt = run.prompts.find((each) => promptOf(each).version !== undefined);
      if (prompt === undefined) return undefined;
      const others = [
        formatQueryTerm("prompt", [promptOf(prompt).name]),
        formatQueryTerm("prompt", [prompt], true),
      ];
      const query = { query: others.join(" "), tenant: run.tenant, until: run.start_time };
      const { traces } = await api.listTraces({ ...query, order: "start", limit: 1 }, signal);
      return traces[0];
    }

    async function spansOf(
      key: TraceKey,
      step: StepPairAnswer["a"],
      signal: AbortSignal,
    ): Promise<readonly NormalizedSpan[] | undefined> {
      if (step === null) return undefined;
      return await Promise.all(step.source_span_ids.map((id) => api.getSpan(key, id, signal)));
    }

    async function scoresOf(
      { traceId, tenant = "" }: TraceKey,
      step: StepPairAnswer["a"],
      signal: AbortSignal,
    ): Promise<readonly StepScore[]> {
      if (step === null) return [];
      const query = { trace_id: traceId, tenant, span_id: step.span_id, limit: MAX_SCORES };
      return (await api.listEvaluations(query, signal)).evaluations;
    }

    return {
      asked: undefined,
      ...EMPTY,

      watch() {
        watchers++;
        return () => void watchers--;
      },

      async open(keys) {
        const isOpen = isAsked(get(), keys);
        if (isOpen) set({ asked: keys });
        else {
          shown = undefined;
          detail.abort();
          set({ asked: keys, ...EMPTY });
        }
        // The URL changes when a step is selected: that changes nothing here.
        if (!isOpen || isStale || get().phase !== "ready") await data.load();
      },

      async refresh() {
        if (get().asked !== undefined) await data.load();
      },

      show(pair) {
        if (shown !== undefined && pairKey(shown) !== pairKey(pair)) set({ detailError: undefined });
        shown = pair;
        void detail.load();
      },

      retryDetail() {
        set({ detailError: undefined });
        void detail.load();
      },

      async loadCandidates() {
        const { comparison, asked } = get();
        const run = comparison?.b;
        if (run === undefined) return;
        try {
          const { traces } = await api.listTraces({
            root_name: run.root_name,
            tenant: run.tenant,
            order: "start",
            limit: MAX_CANDIDATES,
          });
          if (get().asked === asked) set({ candidates: traces });
        } catch {
          // The menu says that there is none; it is loaded again when it is opened again.
          if (get().asked === asked) set({ candidates: [] });
        }
      },

      async findVersion(version) {
        const { prompt, comparison } = get();
        if (prompt === undefined || comparison === undefined) return undefined;
        const { tenant } = comparison.b;
        const query = formatQueryTerm("prompt", [`${prompt.name}@${version}`]);
        try {
          const { traces } = await api.listTraces({ query, tenant, order: "start", limit: 1 });
          const [run] = traces;
          return run && { traceId: run.trace_id, tenant: run.tenant };
        } catch {
          // The menu stays as it is.
          return undefined;
        }
      },

      onLive(event) {
        const { found } = get();
        if (found === undefined) return;
        const isOurs =
          event.type === "trace" &&
          [found.a, found.b].some(
            ({ traceId, tenant }) => event.data.trace_id === traceId && event.data.tenant === (tenant ?? ""),
          );
        if (!isOurs && event.type !== "reset") return;
        if (watchers > 0) data.invalidate();
        else isStale = true;
      },

      onConnected(unchangedMs) {
        if (data.isAskedWithin(unchangedMs)) return;
        if (watchers > 0) void get().refresh();
        else isStale = true;
      },
    };
  });
}
export type CompareStore = ReturnType<typeof createCompareStore>;

/** Whether these runs were asked for, or were found for what was asked. */
export function isAsked(
  { asked, found }: Pick<CompareState, "asked" | "found">,
  { a, b, versus }: ComparedKeys,
): boolean {
  if (asked === undefined) return false;
  if (isSameKey(asked.a, a) && isSameKey(asked.b, b) && asked.versus === versus) return true;
  return a !== undefined && found !== undefined && isFoundKey(found.a, a) && isFoundKey(found.b, b);
}

function isSameKey(a: TraceKey | undefined, b: TraceKey | undefined): boolean {
  return a?.traceId === b?.traceId && a?.tenant === b?.tenant;
}

function isFoundKey(found: TraceKey, { traceId, tenant }: TraceKey): boolean {
  return found.traceId === traceId && (tenant === undefined || found.tenant === tenant);
}

/** Names a step of a comparison; the same after a refresh. */
export function pairKey({ a, b }: StepPairAnswer): string {
  return JSON.stringify([a?.span_id, b?.span_id]);
}

/** Whether the texts of a step may have changed since they were loaded. */
function hasChanged(before: StepPairAnswer | undefined, after: StepPairAnswer): boolean {
  return before !== undefined && JSON.stringify(before) !== JSON.stringify(after);
}
