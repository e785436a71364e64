import type { ModelOperation } from "./operation.js";

/** Deepest level of a request or response that is converted. */
const MAX_DEPTH = 16;

/**
 * Fields that are passed on as they are: values with names of the app, such as the arguments of a tool and the schema of its
 * parameters, and vectors.
 */
const OPAQUE = new Set([
  "parameters",
  "arguments",
  "parameterDefinitions",
  "outputs",
  "documents",
  "metadata",
  "responseFormat",
  "data",
  "embedding",
  "embeddings",
]);

/**
 * A wire reader for a client whose requests and responses are in camel case.
 *
 * @param chunkOf - finds the provider's chunk in what the client's stream gives. Default: the same.
 */
export function inCamelCase(
  operation: ModelOperation,
  chunkOf: (chunk: unknown) => unknown = (chunk) => chunk,
): ModelOperation {
  const { readRequest, readResponse, readFailure, createAccumulator } = operation;
  return {
    ...operation,
    readRequest: (request) => readRequest(toSnakeCase(request)),
    readResponse: (response) => readResponse(toSnakeCase(response)),
    ...(readFailure && { readFailure: (response) => readFailure(toSnakeCase(response)) }),
    ...(createAccumulator && {
      createAccumulator: () => {
        const accumulator = createAccumulator();
        return { ...accumulator, add: (chunk) => accumulator.add(toSnakeCase(chunkOf(chunk))) };
      },
    }),
  };
}

/** A copy with the names of the wire, of own data only: no getter runs. Bytes are not copied. */
export function toSnakeCase(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.map((element) => toSnakeCase(element, depth + 1));
  // Without a prototype, `__proto__` is a name like any other.
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [name, { value: each }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    const nameOnWire = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    copy[nameOnWire] = OPAQUE.has(name) ? each : toSnakeCase(each, depth + 1);
  }
  return copy;
}
