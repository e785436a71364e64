import type { ModelCall } from "../model-calls.js";
import type { SpanNode } from "../span-tree.js";
import type { ToolUse } from "../tool-uses.js";
import type { StepContent } from "./step-content.js";

/** A step of a run, as it is compared with one of another run. */
export interface ComparedStep {
  readonly node: SpanNode;
  /** The number of the step in its run. */
  readonly number: number;
  /** The name of the tool, or of the span. */
  readonly name: string;
  /** What tells steps of the same name apart. */
  readonly hint: string | undefined;
  /** Steps around it. */
  readonly level: number;
  /** The name of the agent around it; empty outside of agents. */
  readonly agent: string;
  readonly call: ModelCall | undefined;
  readonly use: ToolUse | undefined;
  readonly content: StepContent;
}
