import { attributeOf } from "../attributes.js";
import { canonicalData } from "../canonical-json.js";
import { eachInSteps, type Steps } from "../in-steps.js";
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
export function* giveResultsToRetries(tools: readonly OpenTool[]): Steps<void> {
  const isTold = ({ error, result, repeat, node }: OpenTool): boolean =>
    error !== undefined && result !== undefined && repeat !== undefined && result.node !== node;
  if (!tools.some(isTold)) return;
  /** The last attempt of each use. */
  const attempts = new Map<string, number>();
  yield* eachInSteps(tools, (tool, index) => {
    if (tool.call === undefined) attempts.set(useKey(tool), index);
  });
  yield* eachInSteps(tools, (failed, index) => {
    if (!isTold(failed)) return;
    const at = attempts.get(useKey(failed)) ?? -1;
    const last = at > index ? tools[at] : undefined;
    if (last === undefined) return;
    last.result = failed.result;
    failed.result = undefined;
  });
}

function useKey({ name, arguments: values }: OpenTool): string {
  return `${name}\n${canonicalData(values)}`;
}

/** Tools that wait for the message with their result. */
export class WaitingTools {
  readonly #waiting = new Set<OpenTool>();
  readonly #inOrder = new ToolQueue();
  readonly #byCallId = new Map<string, ToolQueue>();

  add(tool: OpenTool): void {
    if (tool.call === undefined) return;
    const { id } = tool.call;
    let sameId = this.#byCallId.get(id);
    if (sameId === undefined) this.#byCallId.set(id, (sameId = new ToolQueue()));
    sameId.tools.push(tool);
    this.#inOrder.tools.push(tool);
    this.#waiting.add(tool);
  }

  /**
   * Gives results to the calls that they answer: by the id of the call, without one in the order of the calls.
   *
   * @param node - of the call that sends the messages.
   * @returns the messages without these results.
   */
  *answer(messages: readonly SpanMessage[], node: SpanNode): Steps<SpanMessage[]> {
    const rest: SpanMessage[] = [];
    yield* eachInSteps(messages, (message) => {
      const parts = message.parts.filter(
        (part) => part.kind !== "result" || !this.#answer(part.id, { response: part.response, node }),
      );
      if (parts.length > 0) rest.push({ ...message, parts });
    });
    return rest;
  }

  #answer(id: string, result: ToolAnswer): boolean {
    const tool =
      id === ""
        ? this.#inOrder.first(this.#waiting)
        : (this.#byCallId.get(id)?.first(this.#waiting) ?? this.#byCallId.get("")?.first(this.#waiting));
    if (tool === undefined) return false;
    this.#waiting.delete(tool);
    tool.result = result;
    return true;
  }
}

/** Tools in order. Those that have a result are passed over once. */
class ToolQueue {
  readonly tools: OpenTool[] = [];
  #from = 0;

  /** The first one that waits. */
  first(waiting: ReadonlySet<OpenTool>): OpenTool | undefined {
    for (; this.#from < this.tools.length; this.#from++) {
      const tool = this.tools[this.#from];
      if (tool !== undefined && waiting.has(tool)) return tool;
    }
    return undefined;
  }
}
