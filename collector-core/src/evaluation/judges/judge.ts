import type { EvaluatedText } from "../evaluated-text.js";
import type { JudgedType, Verdict } from "../evaluation-type.js";

/** Tokens and cost of all attempts of a request. */
export interface JudgeUsage {
  readonly tokensInput: number | undefined;
  readonly tokensOutput: number | undefined;
  /** Undefined when the price of the model is unknown. */
  readonly costUsd: number | undefined;
}

/** Result of a request to the judge. `reason` is a sentence for users. */
export type JudgeAnswer = { readonly usage: JudgeUsage } & (
  | { readonly type: "completed"; readonly verdict: Verdict }
  | { readonly type: "malformed"; readonly reason: string }
  /** The provider refuses the request or cannot be reached. */
  | { readonly type: "error"; readonly reason: string; readonly errorType: string }
);

/** A model that scores text. */
export interface Judge {
  readonly provider: string;
  readonly model: string;
  /**
   * Scores a text, with a second attempt after a malformed answer.
   *
   * @throws when the signal is aborted.
   */
  score(type: JudgedType, text: EvaluatedText, signal: AbortSignal): Promise<JudgeAnswer>;
}
