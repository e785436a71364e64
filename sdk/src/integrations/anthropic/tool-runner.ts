import { isRecording } from "../../capture/integration.js";
import { field, fieldsOf, textOf } from "../json-fields.js";
import { ignoringErrors, replaceMethod } from "../model-client/replace-method.js";
import { copyWith, isUntraced, traced } from "../model-client/traced-tool.js";
import { resourceAt } from "../model-client/wrap-client.js";

/** Records the tools that `beta.messages.toolRunner()` runs as tool spans, in addition to the model calls. */
export function traceToolRunner(client: object): void {
  replaceMethod(
    resourceAt(client, ["beta", "messages"]),
    "toolRunner",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const [request, ...rest] = args;
        const sent = ignoringErrors(() => (isRecording() ? withTracedTools(request) : request)) ?? request;
        return Reflect.apply(original, this, [sent, ...rest]);
      },
  );
}

/** A copy of the request whose tools record their calls. The app's request and tools stay unchanged. */
function withTracedTools(request: unknown): unknown {
  const tools = field(request, "tools");
  const fields = fieldsOf(request);
  if (fields === undefined || !Array.isArray(tools)) return request;
  return copyWith(fields, { tools: tools.map(tracedTool) });
}

function tracedTool(definition: unknown): unknown {
  const fields = fieldsOf(definition);
  const run = field(fields, "run");
  const name = textOf(field(fields, "name"));
  if (fields === undefined || name === undefined || !isUntraced(run)) return definition;
  return copyWith(fields, { run: traced(name, run) });
}
