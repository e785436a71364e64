import { SseReader } from "../../../src/integrations/model-client/sse-reader.js";
import type { ModelOperation } from "../../../src/integrations/model-client/operation.js";
import type { Exchange } from "../../replay/exchange.js";

/** The parsed chunks of a recorded stream, read in pieces of a size in bytes. */
export function chunksOf({ response }: Exchange, pieceSize: number): unknown[] {
  const chunks: unknown[] = [];
  const reader = new SseReader((data) => void chunks.push(JSON.parse(data)));
  const bytes = Buffer.from(response.sse ?? "");
  for (let at = 0; at < bytes.length; at += pieceSize) reader.read(bytes.subarray(at, at + pieceSize));
  reader.finish();
  return chunks;
}

/** What a reader reads from a recorded exchange. */
export interface ReadExchange {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly hasFirstToken: boolean;
  readonly isComplete: boolean;
  readonly failure: unknown;
}

/** Reads a recorded exchange, with its stream in pieces of a size in bytes. */
export function readExchange(operation: ModelOperation, exchange: Exchange, pieceSize = 1000): ReadExchange {
  const accumulator = exchange.response.sse === null ? undefined : operation.createAccumulator?.();
  let hasFirstToken = false;
  if (accumulator !== undefined)
    for (const chunk of chunksOf(exchange, pieceSize)) if (accumulator.add(chunk)) hasFirstToken = true;
  const response = accumulator?.response() ?? exchange.response.body;
  return {
    attributes: { ...operation.readRequest(exchange.request.body), ...operation.readResponse(response) },
    hasFirstToken,
    isComplete: accumulator?.isComplete() ?? true,
    failure: operation.readFailure?.(response),
  };
}

/** The number of tool calls that the app executes. */
export function toolCallCount(attributes: Readonly<Record<string, unknown>>): number {
  const messages = (attributes["completion_messages"] ?? []) as { parts: { type: string }[] }[];
  return messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool_call")).length;
}
