import { field, textOf } from "../json-fields.js";

/** Most responses that are remembered. Nobody retrieves older ones any more. */
const MAX_RESPONSES = 1000;

/**
 * Remembers which responses are still in progress. A background response answers its call with the status `queued`; its
 * tokens are known only to a later call that retrieves it.
 */
export class BackgroundResponses {
  /** Ids, oldest first. */
  readonly #inProgress = new Set<string>();

  /**
   * Records the current state of a response.
   *
   * @returns true if the response was in progress and is complete now. Only the first such call returns true.
   */
  update(response: unknown): boolean {
    const id = textOf(field(response, "id"));
    const status = textOf(field(response, "status"));
    if (id === undefined || status === undefined) return false;
    const wasInProgress = this.#inProgress.delete(id);
    if (status !== "queued" && status !== "in_progress") return wasInProgress;
    this.#inProgress.add(id);
    for (const oldest of this.#inProgress) {
      if (this.#inProgress.size <= MAX_RESPONSES) break;
      this.#inProgress.delete(oldest);
    }
    return false;
  }
}
