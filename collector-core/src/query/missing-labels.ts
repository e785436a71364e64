import type { Evaluation } from "../api-schema/evaluations.js";
import type { EvaluatedLabels, SpanReference } from "../interfaces.js";
import { askOnce, evaluatedSpan } from "./distinct-spans.js";
import type { NewestEvaluations } from "./newest-evaluations.js";

/** Evaluations whose labels are asked for in one question. */
const MAX_ASKED = 1000;

/** What is known of an evaluation while its labels may be missing. */
interface Labelled {
  readonly lacksLabels: boolean;
  readonly evaluation: Evaluation;
}

interface Numbered extends Labelled {
  readonly sequence: number;
}

/** Options of {@link MissingLabels}. */
export interface MissingLabelsOptions<Entry extends Numbered> {
  readonly entries: NewestEvaluations<Entry>;
  /** Undefined if there is no store: evaluations then keep the labels that they have. */
  readonly labelsOf:
    | ((references: readonly SpanReference[]) => Promise<readonly (EvaluatedLabels | undefined)[]>)
    | undefined;
  /** Called if the labels cannot be read. The evaluations remain without them. */
  readonly onError: (error: unknown) => void;
}

/**
 * Adds the labels of the evaluated span to evaluations that have none, while others arrive: one question at a time, for all
 * evaluations that arrived during the one before. They wait in the log, which bounds their number and memory.
 */
export class MissingLabels<Entry extends Numbered> {
  readonly #options: MissingLabelsOptions<Entry>;
  #completeUpTo = 0;
  #newest = 0;
  #isRunning = false;
  #waiting: { readonly sequence: number; readonly resolve: () => void }[] = [];

  constructor(options: MissingLabelsOptions<Entry>) {
    this.#options = options;
  }

  /** All evaluations up to this number have their labels. */
  get completeUpTo(): number {
    return this.#completeUpTo;
  }

  /** Must be called after each evaluation that was added to the log. */
  added({ sequence, lacksLabels }: Entry): void {
    this.#newest = sequence;
    if (this.#isRunning) return;
    if (!lacksLabels || this.#options.labelsOf === undefined) {
      this.#completeUpTo = sequence;
      return;
    }
    this.#isRunning = true;
    // The first question is for all evaluations of a batch.
    queueMicrotask(() => void this.#completeAll());
  }

  /** Resolves when all evaluations that were added so far have their labels. */
  settled(): Promise<void> {
    const sequence = this.#newest;
    if (this.#completeUpTo >= sequence) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push({ sequence, resolve }));
  }

  async #completeAll(): Promise<void> {
    while (this.#completeUpTo < this.#newest) {
      const { entries, upTo } = this.#nextIncomplete();
      const completed = await this.complete(entries);
      this.#options.entries.replace(
        new Map(entries.map((entry, index) => [entry, completed[index] ?? entry])),
      );
      this.#completeUpTo = upTo;
      for (const { sequence, resolve } of this.#waiting) if (sequence <= upTo) resolve();
      this.#waiting = this.#waiting.filter(({ sequence }) => sequence > upTo);
    }
    this.#isRunning = false;
  }

  /** The oldest evaluations that lack labels, and the number up to which there are no others. */
  #nextIncomplete(): { readonly entries: readonly Entry[]; readonly upTo: number } {
    const { entries } = this.#options.entries;
    const first = entries.findLastIndex(({ sequence }) => sequence <= this.#completeUpTo) + 1;
    const incomplete: Entry[] = [];
    for (let at = first; at < entries.length; at++) {
      const entry = entries[at];
      if (entry?.lacksLabels !== true) continue;
      if (incomplete.push(entry) === MAX_ASKED) return { entries: incomplete, upTo: entry.sequence };
    }
    return { entries: incomplete, upTo: this.#newest };
  }

  /** Returns evaluations with the labels that are found. Does not reject. */
  async complete<Any extends Labelled>(evaluations: readonly Any[]): Promise<Any[]> {
    const { labelsOf, onError } = this.#options;
    if (labelsOf === undefined) return [...evaluations];
    const incomplete = evaluations.filter(({ lacksLabels }) => lacksLabels);
    try {
      const found = await askOnce(
        incomplete.map(({ evaluation }) => evaluatedSpan(evaluation)),
        labelsOf,
      );
      const labelsBy = new Map(incomplete.map((each, index) => [each, found[index]]));
      return evaluations.map((each) => {
        const labels = labelsBy.get(each);
        return labels === undefined
          ? each
          : { ...each, lacksLabels: false, evaluation: { ...each.evaluation, ...labels } };
      });
    } catch (error) {
      onError(error);
      return [...evaluations];
    }
  }
}
