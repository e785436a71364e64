import type { ModelOperation } from "../../../src/integrations/model-client/operation.js";

/** The attributes of a response whose stream has these chunks. */
export function streamed(
  operation: ModelOperation,
  chunks: readonly unknown[],
): Readonly<Record<string, unknown>> {
  const accumulator = operation.createAccumulator?.();
  for (const chunk of chunks) accumulator?.add(chunk);
  return operation.readResponse(accumulator?.response());
}

/** The messages of a completion. */
export const messagesIn = (attributes: Readonly<Record<string, unknown>>) =>
  attributes["completion_messages"];
