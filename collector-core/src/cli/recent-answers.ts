import { CommandFailure, EXIT } from "./command-failure.js";

/** Answers that are kept: `errors` reads four traces at a time. */
const MAX_ANSWERS = 8;

interface RecentAnswer {
  readonly url: string;
  /** With its method. */
  readonly route: string;
  readonly value: unknown;
}

/**
 * The latest answers of collectors. They are used unchecked, because to load the schemas takes longer than most commands. Only when
 * a command fails are they compared with the schemas: another server, or another version, may have been the cause.
 */
export class RecentAnswers {
  readonly #answers: RecentAnswer[] = [];

  add(answer: RecentAnswer): void {
    this.#answers.push(answer);
    if (this.#answers.length > MAX_ANSWERS) this.#answers.shift();
  }

  /** The failure to report in place of an error that an answer has caused; undefined if every answer is as expected. */
  async blame(cause: unknown): Promise<CommandFailure | undefined> {
    if (this.#answers.length === 0) return undefined;
    const { unexpectedPlace } = await import("./answer-schemas.js");
    // The latest first: it was used last.
    for (const { url, route, value } of this.#answers.toReversed()) {
      const place = unexpectedPlace(route, value);
      if (place === undefined) continue;
      const message = `The answer of ${url} to ${route} cannot be read: ${place} is not as expected. Is it a collector of this version?`;
      return new CommandFailure(message, { exitCode: EXIT.away, cause });
    }
    return undefined;
  }
}
