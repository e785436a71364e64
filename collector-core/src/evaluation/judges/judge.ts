import type { EvaluatedText } from "../evaluated-text.js";
import type { JudgedType, Verdict } from "../evaluation-type.js";

/** What asking a judge took; tokens and cost of every attempt. */
export interface JudgeUsage {
  readonly tokensInput: number | undefined;
  readonly tokensOutput: number | undefined;
  /** Undefined where the model has no known price. */
  readonly costUsd: number | undefined;
}

/** What became of a question. `reason` is for people. */
export type JudgeAnswer = { readonly usage: JudgeUsage } & (
  | { readonly type: "completed"; readonly verdict: Verdict }
  | { readonly type: "malformed"; readonly reason: string }
  /** A provider that refuses, or cannot be reached. */
  | { readonly type: "error"; readonly reason: string; readonly errorType: string }
);

/** A model that scores text. */
export interface Judge {
  readonly provider: string;
  readonly model: string;
  /**
   * Asks one question, with one further attempt where the answer is malformed.
   *
   * @throws when the signal is aborted.
   */
  ask(type: JudgedType, text: EvaluatedText, signal: AbortSignal): Promise<JudgeAnswer>;
}
