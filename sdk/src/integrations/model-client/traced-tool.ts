import { isRecording, isWrapped, tool } from "../../capture/integration.js";
import { field, fieldsOf } from "../json-fields.js";
import { ignoringErrors, replaceMethod } from "./replace-method.js";
import { resourceAt } from "./wrap-client.js";

/** The function of a tool that a client runs. */
type ToolFunction = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Records the tools that a method of a client runs, in addition to the model calls. The method gets a copy of its request: the
 * app's request and tools stay unchanged.
 *
 * @param tracedTool - a tool of the request as one that records its calls.
 */
export function traceTools(
  client: object,
  path: readonly string[],
  method: string,
  tracedTool: (definition: unknown) => unknown,
): void {
  const withTracedTools = (request: unknown): unknown => {
    const tools = field(request, "tools");
    const fields = fieldsOf(request);
    if (fields === undefined || !Array.isArray(tools)) return request;
    return copyWith(fields, { tools: tools.map(tracedTool) });
  };
  replaceMethod(
    resourceAt(client, path),
    method,
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const [request, ...rest] = args;
        const sent = ignoringErrors(() => (isRecording() ? withTracedTools(request) : request)) ?? request;
        return Reflect.apply(original, this, [sent, ...rest]);
      },
  );
}

/** A function that records its calls as tool spans, with the first argument: the client passes its runner as a further one. */
export function traced(name: string, run: ToolFunction): ToolFunction {
  const wrapper: ToolFunction = function (...args) {
    const call = tool(name, () => Reflect.apply(run, this, args));
    return Reflect.apply(call, undefined, args.slice(0, 1)) as unknown;
  };
  return Object.defineProperties(wrapper, { name: { value: run.name }, length: { value: run.length } });
}

/** True for a function that does not record its calls yet. */
export function isUntraced(value: unknown): value is ToolFunction {
  return typeof value === "function" && !isWrapped(value);
}

/** A copy with other values. It keeps the class and the properties that are not enumerable. */
export function copyWith(original: object, values: Readonly<Record<string, unknown>>): object {
  const descriptors: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(original);
  for (const [key, value] of Object.entries(values)) {
    const enumerable = descriptors[key]?.enumerable ?? true;
    descriptors[key] = { value, enumerable, configurable: true, writable: true };
  }
  return Object.create(Object.getPrototypeOf(original) as object | null, descriptors) as object;
}
