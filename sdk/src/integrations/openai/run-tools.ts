import { isRecording } from "../../capture/integration.js";
import { field, fieldsOf, member, textOf } from "../json-fields.js";
import { ignoringErrors, replaceMethod } from "../model-client/replace-method.js";
import { copyWith, isUntraced, traced } from "../model-client/traced-tool.js";
import { resourceAt } from "../model-client/wrap-client.js";

/** Records the functions that `runTools()` calls as tool spans, in addition to the model calls. */
export function traceRunTools(client: object): void {
  for (const path of [
    ["chat", "completions"],
    ["beta", "chat", "completions"],
  ]) {
    replaceMethod(
      resourceAt(client, path),
      "runTools",
      (original) =>
        function (this: unknown, ...args: unknown[]): unknown {
          const [request, ...rest] = args;
          const sent = ignoringErrors(() => (isRecording() ? withTracedTools(request) : request)) ?? request;
          return Reflect.apply(original, this, [sent, ...rest]);
        },
    );
  }
}

/**
 * A copy of the request of `runTools()` whose functions record their calls. The app's request and tools stay unchanged. A
 * function that already records its calls is not wrapped again.
 */
function withTracedTools(request: unknown): unknown {
  const tools = field(request, "tools");
  const fields = fieldsOf(request);
  if (fields === undefined || !Array.isArray(tools)) return request;
  return copyWith(fields, { tools: tools.map(tracedTool) });
}

function tracedTool(definition: unknown): unknown {
  const fields = fieldsOf(definition);
  const description = fieldsOf(field(fields, "function"));
  if (fields === undefined || description === undefined) return definition;
  const { function: run } = description;
  const name = textOf(field(description, "name")) ?? textOf(member(run, "name"));
  if (name === undefined) return definition;
  // The client's schema helpers (`zodFunction`) keep the function beside its description.
  const { $callback: callback } = fields;
  return copyWith(fields, {
    ...(isUntraced(run) && { function: copyWith(description, { function: traced(name, run) }) }),
    ...(isUntraced(callback) && { $callback: traced(name, callback) }),
  });
}
