import type { SpanMessage, ToolCallPart } from "../message.js";
import type { Repeat } from "../repeats.js";
import type { SpanNode } from "../span-tree.js";
import type { LongText } from "../values.js";

/** One entry of a transcript. */
export type TranscriptEntry = MessageEntry | TurnEntry | StepEntry | StepsEntry | HandOffEntry | ErrorEntry;

interface EntryBase {
  /** Unique in the transcript, and the same while the run grows. */
  readonly key: string;
  /** The span that the entry comes from. */
  readonly node: SpanNode;
  /** Milliseconds from the start of the trace. */
  readonly atMs: number;
  /** Agents that started each other above this one; 0 for the agent of the run. */
  readonly level: number;
}

/** A message that was new in the input of a call, or the input or output of the run. */
export interface MessageEntry extends EntryBase {
  readonly kind: "message";
  readonly message: SpanMessage;
  /** Said before this run: the first call of the run sent it with the conversation so far. */
  readonly isEarlier: boolean;
}

/** A call of a model: its answer, and the tools that it called. */
export interface TurnEntry extends EntryBase {
  readonly kind: "turn";
  readonly number: number | undefined;
  /** The answer without its tool calls. */
  readonly output: readonly SpanMessage[];
  /** Reasoning that only a later call shows. */
  readonly reasoning: readonly SpanMessage[];
  readonly tools: readonly TranscriptTool[];
  readonly error: StepError | undefined;
  /** The answer is the output of the run. */
  readonly isFinal: boolean;
  readonly isRunning: boolean;
}

/** A tool that a model called, or that ran after its answer. */
export interface TranscriptTool {
  readonly key: string;
  readonly name: string;
  readonly call: ToolCallPart | undefined;
  readonly node: SpanNode | undefined;
  readonly number: number | undefined;
  readonly arguments: unknown;
  /** What the model got; otherwise what the tool returned. */
  readonly result: ToolAnswer | undefined;
  readonly error: StepError | undefined;
  readonly repeat: Repeat | undefined;
}

/** The result of a tool. */
export interface ToolAnswer {
  readonly response: unknown;
  /** The span that it was read from. */
  readonly node: SpanNode;
}

/** A step of the app with an input or an output, such as a tool that no model called. */
export interface StepEntry extends EntryBase {
  readonly kind: "step";
  readonly tool: TranscriptTool;
}

/** Steps of the app that say nothing. */
export interface StepsEntry extends EntryBase {
  readonly kind: "steps";
  readonly steps: readonly { readonly node: SpanNode; readonly number: number | undefined }[];
}

/** One agent starts another. */
export interface HandOffEntry extends EntryBase {
  readonly kind: "handoff";
  readonly number: number | undefined;
  readonly from: string;
  readonly to: string;
  readonly note: string | undefined;
}

/** The failure of a span that is not a step. */
export interface ErrorEntry extends EntryBase {
  readonly kind: "error";
  readonly error: StepError;
}

/** Why a step failed. */
export interface StepError {
  readonly node: SpanNode;
  readonly type: string | undefined;
  readonly message: LongText | undefined;
}

/** A run as one conversation. */
export interface Transcript {
  readonly entries: readonly TranscriptEntry[];
}
