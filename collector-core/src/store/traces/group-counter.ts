import type { GroupOrder } from "../../api-schema/group-keys.js";
import type { TraceGroup, TraceGroups } from "../../api-schema/groups.js";
import type { TimeSlice } from "../../runtime/time-slice.js";
import { finiteSum } from "../../span/finite-sum.js";
import { costSourceOf } from "./cost-source.js";
import { GroupFigures, type TraceFigures } from "./group-figures.js";
import { MostFrequent } from "./most-frequent.js";

/** Groups of an answer. */
export const MAX_GROUPS = 200;
/** Values of one trace, like the lists of a summary. */
export const MAX_VALUES = 20;
/** Bytes of values with their sums. A trace more takes 8 to 16 bytes of its groups. */
const MAX_HELD_BYTES = 16 * 2 ** 20;
/** The sums of a group. */
const GROUP_BYTES = 256;
/** Groups between two checks of the clock. */
const GROUPS_PER_CHECK = 256;
/** The group of traces without a value. No value is empty. */
export const NO_VALUE = "";

/** Options of {@link GroupCounter}. */
export interface GroupCounterOptions {
  /** Default: `runs`. */
  readonly order?: GroupOrder | undefined;
  /** Counts only values that contain this text, in any letter case. Default: all. */
  readonly contains?: string | undefined;
  /** Default: 16 MiB. Smaller in tests. */
  readonly maxHeldBytes?: number;
}

/** Collects traces by value. The figures of a group are those of all its traces; values that come when there is no room are one group. */
export class GroupCounter {
  readonly #groups = new Map<string, GroupFigures>();
  readonly #order: GroupOrder;
  readonly #contains: string;
  readonly #maxHeldBytes: number;
  #heldBytes = 0;
  readonly #rest = { runs: 0, costUsd: 0, hasComputedCost: false };

  constructor({ order = "runs", contains = "", maxHeldBytes = MAX_HELD_BYTES }: GroupCounterOptions = {}) {
    this.#order = order;
    this.#contains = contains.toLowerCase();
    this.#maxHeldBytes = maxHeldBytes;
  }

  /** Adds a trace to the group of each of its values. */
  add(values: readonly string[], figures: TraceFigures): void {
    if (values.length === 0) this.#add(NO_VALUE, figures);
    for (let at = 0; at < Math.min(values.length, MAX_VALUES); at++) this.#add(values[at] as string, figures);
  }

  #add(value: string, figures: TraceFigures): void {
    if (this.#contains !== "" && !value.toLowerCase().includes(this.#contains)) return;
    let group = this.#groups.get(value);
    if (group === undefined) {
      const bytes = GROUP_BYTES + value.length * 2;
      if (this.#heldBytes + bytes > this.#maxHeldBytes) {
        this.#rest.runs++;
        this.#rest.costUsd = finiteSum(this.#rest.costUsd, figures.costUsd);
        this.#rest.hasComputedCost ||= figures.hasComputedCost;
        return;
      }
      this.#heldBytes += bytes;
      this.#groups.set(value, (group = new GroupFigures()));
    }
    group.add(figures);
  }

  /** The first groups in the order, ties by value, and the sum of the others. */
  async toGroups(timeSlice: TimeSlice): Promise<Omit<TraceGroups, "unread">> {
    const first = new MostFrequent(MAX_GROUPS);
    let visited = 0;
    for (const [value, group] of this.#groups) {
      first.add(value, rankOf(group, this.#order));
      if (++visited % GROUPS_PER_CHECK === 0 && timeSlice.isOver()) await timeSlice.next();
    }
    const groups: TraceGroup[] = [];
    for (const { value } of first.entries) {
      const group = this.#groups.get(value);
      if (group !== undefined) groups.push(group.toGroup(value === NO_VALUE ? null : value));
      if (timeSlice.isOver()) await timeSlice.next();
    }
    return { groups, other: await this.#others(new Set(first.entries.map(({ value }) => value)), timeSlice) };
  }

  async #others(shown: ReadonlySet<string>, timeSlice: TimeSlice): Promise<TraceGroups["other"]> {
    let { runs, costUsd, hasComputedCost } = this.#rest;
    let groups = runs === 0 ? 0 : 1;
    let visited = 0;
    for (const [value, group] of this.#groups) {
      if (shown.has(value)) continue;
      groups++;
      runs += group.runs;
      costUsd = finiteSum(costUsd, group.costUsd);
      hasComputedCost ||= group.hasComputedCost;
      if (++visited % GROUPS_PER_CHECK === 0 && timeSlice.isOver()) await timeSlice.next();
    }
    if (groups === 0) return null;
    return { groups, runs, cost_usd: costUsd, cost_source: costSourceOf(costUsd, hasComputedCost) };
  }
}

/** What ranks a group, the highest first; equal for all groups if the value does. */
function rankOf(group: GroupFigures, order: GroupOrder): number {
  switch (order) {
    case "runs":
      return group.runs;
    case "errors":
      return group.errors / group.runs;
    case "p50":
      return group.durationMs(0.5);
    case "p95":
      return group.durationMs(0.95);
    case "ttft":
      return group.medianTtftMs ?? -1;
    case "tokens":
      return group.tokensInput + group.tokensOutput;
    case "cost":
      return group.costUsd;
    case "cost_per_run":
      return group.costUsd / group.runs;
    case "value":
      return 0;
  }
}
