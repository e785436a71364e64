import type { SpanMessage } from "../message.js";
import { recordedMessages } from "../messages.js";
import type { ComparedStep } from "./compared-step.js";
import { changedShare, wordDiff } from "./word-diff.js";

/** The text that a placeholder stands for; undefined for any other text. */
export type FullText = (placeholder: string) => string | undefined;

/** Characters of all outputs of a comparison whose words are compared. */
const MAX_CHARACTERS = 4_000_000;
/** Characters of two outputs whose words are compared: this is done at once. */
const MAX_PAIR_CHARACTERS = 256_000;
/** Words that may differ between two outputs before their lines are compared. */
const MAX_EDITS = 200;
/** The same when much was compared: the work for two texts grows with the square of the words that differ. */
const FEW_EDITS = 40;
const MAX_WORK = 30 * MAX_EDITS ** 2;

/** Computes how much of the outputs of steps differs, as long as the work for one comparison allows. */
export class ShareBudget {
  readonly #fullText: FullText | undefined;
  #characters = MAX_CHARACTERS;
  #work = MAX_WORK;

  constructor(fullText: FullText | undefined) {
    this.#fullText = fullText;
  }

  /** The share of the words of two outputs that differ; undefined if one of them has no text, or is too long. */
  shareOf(a: ComparedStep, b: ComparedStep): number | undefined {
    const [textA, textB] = [this.#outputOf(a), this.#outputOf(b)];
    if (textA === undefined || textB === undefined) return undefined;
    const length = textA.length + textB.length;
    if (length > MAX_PAIR_CHARACTERS) return undefined;
    this.#characters -= length;
    if (this.#characters < 0) return undefined;
    const maxEdits = this.#work > 0 ? MAX_EDITS : FEW_EDITS;
    const diff = wordDiff(textA, textB, maxEdits);
    this.#work -= Math.min(diff.changed, maxEdits) ** 2;
    return changedShare(diff);
  }

  #outputOf({ node, call }: ComparedStep): string | undefined {
    const texts = this.#textsOf(call?.output ?? recordedMessages(node.span).output);
    return texts === undefined || texts.length === 0 ? undefined : texts.join("\n\n");
  }

  /** The texts of messages; undefined if one of them is only known in part. */
  #textsOf(messages: readonly SpanMessage[]): string[] | undefined {
    const texts: string[] = [];
    for (const part of messages.flatMap(({ parts }) => parts)) {
      if (part.kind !== "text") continue;
      if (typeof part.text !== "string") return undefined;
      texts.push(this.#fullText?.(part.text) ?? part.text);
    }
    return texts;
  }
}
