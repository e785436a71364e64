import { isProxy, ownValue } from "../../is-record.js";
import type { ModelOperation } from "./operation.js";

/** Deepest level of a request or response that is converted. */
const MAX_DEPTH = 16;
/** Most values that are converted, several times those of a span: one that contains itself has any number of them. */
const MAX_VALUES = 100_000;

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
export function toSnakeCase(value: unknown): unknown {
  return convert(value, 0, { left: MAX_VALUES });
}

function convert(value: unknown, depth: number, room: { left: number }): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (depth > MAX_DEPTH || isProxy(value)) return undefined;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (let index = 0; index < value.length && room.left-- > 0; index++)
      list.push(convert(ownValue(value, index), depth + 1, room));
    return list;
  }
  // Without a prototype, `__proto__` is a name like any other.
  const copy = Object.create(null) as Record<string, unknown>;
  for (const name of Object.getOwnPropertyNames(value)) {
    if (room.left-- <= 0) break;
    const each = ownValue(value, name);
    const nameOnWire = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    copy[nameOnWire] = OPAQUE.has(name) ? each : convert(each, depth + 1, room);
  }
  return copy;
}
