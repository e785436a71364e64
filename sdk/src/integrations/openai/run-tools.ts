import { isWrapped, tool } from "../../capture/integration.js";
import { field, fieldsOf, textOf } from "../json-fields.js";

type ToolFunction = (this: unknown, ...args: unknown[]) => unknown;

/**
 * The request of `runTools()` with functions that record a tool span for each of their calls. The app's own request and
 * tools stay as they are; a function that records its calls already is not doubled.
 */
export function withTracedTools(request: unknown): unknown {
  const tools = field(request, "tools");
  const fields = fieldsOf(request);
  if (fields === undefined || !Array.isArray(tools)) return request;
  return changed(fields, { tools: tools.map(tracedTool) });
}

function tracedTool(definition: unknown): unknown {
  const fields = fieldsOf(definition);
  const described = fieldsOf(fields?.["function"]);
  if (fields === undefined || described === undefined) return definition;
  const { function: run } = described;
  const name = textOf(described["name"]) ?? textOf(field(run, "name"));
  if (name === undefined) return definition;
  // The client's helpers for schemas (zodFunction) keep the function beside its description.
  const { $callback: callback } = fields;
  return changed(fields, {
    ...(isUntraced(run) && { function: changed(described, { function: traced(name, run) }) }),
    ...(isUntraced(callback) && { $callback: traced(name, callback) }),
  });
}

/** Only the tool's own arguments are its input: the client passes its runner behind them. */
function traced(name: string, run: ToolFunction): ToolFunction {
  const wrapper: ToolFunction = function (...args) {
    const call = tool(name, () => Reflect.apply(run, this, args));
    return Reflect.apply(call, undefined, args.slice(0, 1)) as unknown;
  };
  return Object.defineProperties(wrapper, { name: { value: run.name }, length: { value: run.length } });
}

/** True for a function whose calls are not recorded yet. */
function isUntraced(value: unknown): value is ToolFunction {
  return typeof value === "function" && !isWrapped(value);
}

/** A copy with other values, like the original in all else: its class, and what is hidden from enumeration. */
function changed(original: object, values: Readonly<Record<string, unknown>>): object {
  const descriptors: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(original);
  for (const [key, value] of Object.entries(values)) {
    const enumerable = descriptors[key]?.enumerable ?? true;
    descriptors[key] = { value, enumerable, configurable: true, writable: true };
  }
  return Object.create(Object.getPrototypeOf(original) as object | null, descriptors) as object;
}
