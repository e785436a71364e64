import { field, fieldsOf, member, textOf } from "../json-fields.js";
import { copyWith, isUntraced, traced, traceTools } from "../model-client/traced-tool.js";

/** Records the functions that `runTools()` calls as tool spans. */
export function traceRunTools(client: object): void {
  traceTools(client, ["chat", "completions"], "runTools", tracedTool);
  traceTools(client, ["beta", "chat", "completions"], "runTools", tracedTool);
}

/** A function that already records its calls is not wrapped again. */
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
