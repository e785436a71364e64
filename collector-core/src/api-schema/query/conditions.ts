import type { LabelKey, NumberKey, SessionLabelKey, SessionMark, SessionNumberKey } from "./query-keys.js";
import type { NumberRange, TimeRange } from "./query-values.js";

interface ConditionBase {
  /** True if no span of the trace may meet the rest of the condition. */
  readonly isNegated: boolean;
  /** Where the condition is in the query. */
  readonly position: number;
}

/** A text in the name or an attribute of a span, in any letter case. */
export interface TextCondition extends ConditionBase {
  readonly kind: "text";
  readonly text: string;
}

/** One of several values of a label. */
export interface LabelCondition extends ConditionBase {
  readonly kind: "label";
  readonly key: LabelKey;
  /** At least one. */
  readonly values: readonly string[];
}

/** A figure of the trace in one of several ranges. */
export interface NumberCondition extends ConditionBase {
  readonly kind: "number";
  readonly key: NumberKey;
  readonly ranges: readonly NumberRange[];
}

/** The start of the trace in one of several ranges. */
export interface TimeCondition extends ConditionBase {
  readonly kind: "time";
  readonly ranges: readonly TimeRange[];
}

/** A score of the trace: the latest of its type. One of the tests must hold. */
export interface ScoreCondition extends ConditionBase {
  readonly kind: "score";
  readonly tests: readonly {
    /** Undefined for any type. */
    readonly type: string | undefined;
    /** Undefined for any score. */
    readonly range: NumberRange | undefined;
  }[];
}

/** A test of an attribute. */
export type AttributeTest =
  /** Any value but null. */
  | { readonly kind: "any" }
  /** This text, number, boolean or null. */
  | { readonly kind: "equal"; readonly text: string }
  | { readonly kind: "range"; readonly range: NumberRange };

/** An attribute of a span. One of the tests must hold. */
export interface AttributeCondition extends ConditionBase {
  readonly kind: "attribute";
  /** The whole key, or a path with dots. */
  readonly path: string;
  readonly tests: readonly AttributeTest[];
}

/** A figure of a whole session in one of several ranges. */
export interface SessionNumberCondition extends ConditionBase {
  readonly kind: "session_number";
  readonly key: SessionNumberKey;
  readonly ranges: readonly NumberRange[];
}

/** What a whole session is: one of several values. */
export interface SessionLabelCondition extends ConditionBase {
  readonly kind: "session_label";
  readonly key: SessionLabelKey;
  readonly values: readonly SessionMark[];
}

/** What a session must be as a whole. */
export type SessionCondition = SessionNumberCondition | SessionLabelCondition;

/** What a trace must have. All conditions of a query must hold. */
export type TraceCondition =
  | TextCondition
  | LabelCondition
  | NumberCondition
  | TimeCondition
  | ScoreCondition
  | AttributeCondition;

/** A condition of a query. */
export type Condition = TraceCondition | SessionCondition;

export function isSessionCondition(condition: Condition): condition is SessionCondition {
  return condition.kind === "session_number" || condition.kind === "session_label";
}
