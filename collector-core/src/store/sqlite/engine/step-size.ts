/** A step grows at most by this factor at once: the first ones may be of an unusual kind. */
const MAX_GROWTH = 2;

/** Options of {@link StepSize}. */
export interface StepSizeOptions {
  /** Items of the first step. */
  readonly first: number;
  /** Items of a step at least and at most. What a step costs whatever it has would be most of the time of shorter ones. */
  readonly least: number;
  readonly most: number;
  /** Time that a step should take. */
  readonly targetMs: number;
}

/** How many items fit in a step, by the time that the step before took: it depends on the disk, the file and the runtime. */
export class StepSize {
  readonly #options: StepSizeOptions;
  #items: number;

  constructor(options: StepSizeOptions) {
    this.#options = options;
    this.#items = options.first;
  }

  /** Items of the next step. */
  get items(): number {
    return this.#items;
  }

  /** A step ended. @param items - that it had: one that had less than it could tells nothing if it was short. */
  took(items: number, ms: number): void {
    const { least, most, targetMs } = this.#options;
    if (items < this.#items && ms < targetMs) return;
    const fitting = ms > 0 ? (items * targetMs) / ms : Number.POSITIVE_INFINITY;
    this.#items = Math.max(least, Math.floor(Math.min(fitting, this.#items * MAX_GROWTH, most)));
  }
}
