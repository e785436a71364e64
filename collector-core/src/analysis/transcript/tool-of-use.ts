import { attributeOf } from "../attributes.js";
import { canonicalData } from "../canonical-json.js";
import type { SpanMessage } from "../message.js";
import type { Run } from "../run.js";
import type { SpanNode } from "../span-tree.js";
import type { ToolUse } from "../tool-uses.js";
import type { ToolAnswer, TranscriptTool } from "./entries.js";
import { errorWithin, ownError } from "./step-error.js";

/** A tool as a transcript shows it. The result may follow. */
export type OpenTool = { -readonly [Key in keyof TranscriptTool]: TranscriptTool[Key] };

/** @param isOpen - whether the steps inside the tool are shown too, with their errors. */
export function toolOf(run: Run, use: ToolUse, key: string, isOpen: boolean): OpenTool {
  const { name, node, call } = use;
  return {
    key,
    name,
    call,
    node,
    number: node === undefined ? undefined : run.numbers.get(node.id),
    arguments: use.arguments,
    result: node === undefined ? undefined : resultOf(node),
    error: node === undefined ? undefined : isOpen ? ownError(node) : errorWithin(node),
    repeat: run.repeats.get(use),
  };
}

/** What a tool returned, as its span says. */
function resultOf(node: SpanNode): ToolAnswer | undefined {
  const output = attributeOf(node.span, "output_text") ?? attributeOf(node.span, "completion_messages");
  return output === undefined || output === null || output === "" ? undefined : { response: output, node };
}

/** The model got the result of the last attempt: it stands there, and not at the failed one. */
export function giveResultsToRetries(tools: readonly OpenTool[]): void {
  for (const [index, failed] of tools.entries()) {
    const { error, result, repeat } = failed;
    if (error === undefined || result === undefined || repeat === undefined || result.node === failed.node)
      continue;
    const last = tools.findLast(
      (tool, at) => at > index && tool.call === undefined && isSameUse(tool, failed),
    );
    if (last === undefined) continue;
    last.result = result;
    failed.result = undefined;
  }
}

function isSameUse(a: OpenTool, b: OpenTool): boolean {
  return a.name === b.name && canonicalData(a.arguments) === canonicalData(b.arguments);
}

/** Tools that wait for the message with their result. */
export class WaitingTools {
  readonly #waiting: OpenTool[] = [];

  add(tool: OpenTool): void {
    if (tool.call !== undefined) this.#waiting.push(tool);
  }

  /**
   * Gives results to the calls that they answer: by the id of the call, without one in the order of the calls.
   *
   * @param node - of the call that sends the messages.
   * @returns the messages without these results.
   */
  answer(messages: readonly SpanMessage[], node: SpanNode): SpanMessage[] {
    return messages.flatMap((message) => {
      const parts = message.parts.filter(
        (part) => part.kind !== "result" || !this.#answer(part.id, { response: part.response, node }),
      );
      return parts.length === 0 ? [] : [{ ...message, parts }];
    });
  }

  #answer(id: string, result: ToolAnswer): boolean {
    const withId = this.#waiting.findIndex(({ call }) => call?.id === id && id !== "");
    const index = withId >= 0 ? withId : this.#waiting.findIndex(({ call }) => id === "" || call?.id === "");
    const [tool] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (tool === undefined) return false;
    tool.result = result;
    return true;
  }
}
