import type { EvaluationDirection } from "../api-schema/evaluation-types.js";
import type { EvaluatedText } from "./evaluated-text.js";

/** What an evaluation says of a span. */
export interface Verdict {
  /** 0 to 1. */
  readonly score: number;
  readonly label?: string | undefined;
  /** One sentence. */
  readonly explanation?: string | undefined;
}

interface TypeFacts {
  /** As it is asked for: `contains:refund`. */
  readonly id: string;
  /** The part before the colon: the label `evaluation_type`. */
  readonly name: string;
  readonly direction: EvaluationDirection;
}

/** A type that asks the judge. */
export interface JudgedType extends TypeFacts {
  readonly kind: "judged";
  /** What the judge is asked, and how it is to score. */
  readonly rubric: string;
  /** What it may call its score; undefined leaves the word to it. */
  readonly labels: readonly string[] | undefined;
}

/** A type that is computed from the text. */
export interface ComputedType extends TypeFacts {
  readonly kind: "computed";
  /** The verdict, or in a sentence why there is none. */
  readonly compute: (text: EvaluatedText) => Promise<Verdict | string>;
}

/** A type of evaluation. */
export type EvaluationType = JudgedType | ComputedType;
