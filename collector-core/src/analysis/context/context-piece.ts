import type { ContextPartKind } from "../../api-schema/context.js";

/** A piece of what a call sends to a model: a tool definition, a text, a tool call, a result, an image. */
export interface ContextPiece {
  readonly kind: ContextPartKind;
  /** The name of a tool, the title of a document, or the size of an image. */
  readonly label: string | undefined;
  /** Position of its message in the request; -1 for definitions of tools. */
  readonly message: number;
  /** The text; of a long one perhaps only a preview. Equal pieces have equal texts and equal estimates. */
  readonly text: string;
  /** Estimated. */
  readonly tokens: number;
  /** The id of a tool call, or of the call that a result answers. */
  readonly callId: string | undefined;
}

/** A piece without a name. */
export function newPiece(kind: ContextPartKind, message: number, text: string, tokens: number): ContextPiece {
  return { kind, label: undefined, message, text, tokens, callId: undefined };
}

/** Whether two pieces are the same text in the same place of a request. */
export function isSamePiece(a: ContextPiece | undefined, b: ContextPiece | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a === b || (a.kind === b.kind && a.tokens === b.tokens && a.text === b.text);
}

/** The estimated tokens of pieces. */
export function tokensOf(pieces: readonly ContextPiece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0);
}
