import type { EvaluationDirection } from "../api-schema/evaluation-types.js";
import type { EvaluatedText } from "./evaluated-text.js";

/** Verdict of an evaluation. */
export interface Verdict {
  /** 0 to 1. */
  readonly score: number;
  readonly label?: string | undefined;
  /** One sentence. */
  readonly explanation?: string | undefined;
}

interface BaseType {
  /** The requested type, such as `contains:refund`. */
  readonly id: string;
  /** The part before the colon: the label `evaluation_type`. */
  readonly name: string;
  readonly direction: EvaluationDirection;
}

/** A type that the judge scores. */
export interface JudgedType extends BaseType {
  readonly kind: "judged";
  /** The question to the judge and the scale. */
  readonly rubric: string;
  /** Allowed labels; undefined lets the judge choose one. */
  readonly labels: readonly string[] | undefined;
}

/** A type that is computed from the text, without a judge. */
export interface ComputedType extends BaseType {
  readonly kind: "computed";
  /** Returns the verdict, or the reason why there is none. */
  readonly compute: (text: EvaluatedText) => Promise<Verdict | string>;
}

/** A type of evaluation. */
export type EvaluationType = JudgedType | ComputedType;
