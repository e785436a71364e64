import { isInModelSpan, isRecording, tapAsyncIterable } from "../../capture/integration.js";
import { field, textOf } from "../json-fields.js";
import { isAsyncIterable } from "../model-client/follow-stream.js";
import { ModelCall } from "../model-client/model-call.js";
import { definedOnly } from "../model-client/read-attributes.js";
import { RememberedIds } from "../model-client/remembered-ids.js";
import { ignoringErrors, replaceMethod } from "../model-client/replace-method.js";
import { resourceAt, type WrappedClient } from "../model-client/wrap-client.js";
import { anthropicMessage } from "../wire/anthropic.js";

/** One for the process: any client may read the results of a batch. */
const recordedBatches = new RememberedIds(1000);

/** Records the results of a message batch as model calls, when the app reads them for the first time. */
export function recordBatchResults(wrapped: WrappedClient): void {
  for (const path of [
    ["messages", "batches"],
    ["beta", "messages", "batches"],
  ]) {
    replaceMethod(
      resourceAt(wrapped.client, path),
      "results",
      (original) =>
        function (this: unknown, ...args: unknown[]): unknown {
          const returned = Reflect.apply(original, this, args);
          if (!(returned instanceof Promise)) return returned;
          return returned.then(
            (results: unknown) => ignoringErrors(() => followResults(results, args[0], wrapped)) ?? results,
          );
        },
    );
  }
}

function followResults(results: unknown, batchId: unknown, wrapped: WrappedClient): unknown {
  if (!isAsyncIterable(results)) return results;
  return tapAsyncIterable(results, () => {
    if (!isRecording() || isInModelSpan() || !recordedBatches.add(String(batchId))) return undefined;
    return {
      onChunk(result) {
        recordResult(result, batchId, wrapped);
        return true;
      },
      onEnd: () => undefined,
    };
  });
}

/** Requests that were cancelled or expired did not reach the model. */
function recordResult(line: unknown, batchId: unknown, wrapped: WrappedClient): void {
  const result = field(line, "result");
  const message = field(result, "message");
  const error = field(field(result, "error"), "error");
  if (message === undefined && error === undefined) return;
  const operation = {
    ...anthropicMessage,
    readRequest: () =>
      definedOnly({ batch_id: textOf(batchId), batch_custom_id: textOf(field(line, "custom_id")) }),
  };
  const call = new ModelCall({ ...wrapped, operation }, { model: field(message, "model") }, false);
  call.succeed(() => message ?? { error });
}
