import { field, fieldsOf, textOf } from "../json-fields.js";
import { copyWith, isUntraced, traced, traceTools } from "../model-client/traced-tool.js";

/** Records the tools that `beta.messages.toolRunner()` runs as tool spans. */
export function traceToolRunner(client: object): void {
  traceTools(client, ["beta", "messages"], "toolRunner", tracedTool);
}

function tracedTool(definition: unknown): unknown {
  const fields = fieldsOf(definition);
  const run = field(fields, "run");
  const name = textOf(field(fields, "name"));
  if (fields === undefined || name === undefined || !isUntraced(run)) return definition;
  return copyWith(fields, { run: traced(name, run) });
}
