import type { Run } from "@obspan/collector-core/analysis";
import type { ViewName } from "../trace-address.js";

/**
 * The view that a trace opens in: as a conversation, if there is more than one model call with messages. While a trace runs, more
 * calls may follow the first.
 */
export function suitedView({ calls, tree }: Run): ViewName {
  const hasMessages = calls.some(({ input, output }) => input.length > 0 || output.length > 0);
  const isConversation = calls.length > 1 ? hasMessages : calls.length === 1 && tree.isRunning;
  return isConversation ? "transcript" : "timeline";
}
