import type { ValidatorFactory } from "@fastify/ajv-compiler";
import type { FastifyRouteSchemaDef } from "fastify/types/schema.js";
import type { FastifySchemaValidationError } from "fastify";
import type { Clock } from "../runtime/clock.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { readQueryValues } from "./query-values.js";

/**
 * Refuses unknown parameters, because a misspelled filter must not match everything. Ajv does not validate the schemas:
 * TypeBox checks them by type, and validation takes a third of the time of the first query.
 */
const AJV_OPTIONS = {
  coerceTypes: false,
  removeAdditional: false,
  allErrors: true,
  verbose: true,
  validateSchema: false,
} as const;

/** Validates data and leaves the problems in `errors`. */
type Validate = ((data: unknown) => unknown) & { errors?: FastifySchemaValidationError[] | null };
type Compile = (schema: object) => Validate;

async function loadAjv(): Promise<Compile> {
  const { default: AjvCompiler } = await import("@fastify/ajv-compiler");
  const compile = AjvCompiler()({}, { customOptions: AJV_OPTIONS });
  return (schema) => compile({ schema }) as Validate;
}

/** A validation error in Fastify's own format. Fastify does not convert the rejection of an async validator. */
class SchemaMismatch extends Error {
  readonly statusCode = 400;

  constructor(readonly validation: readonly FastifySchemaValidationError[]) {
    super("The request does not match the schema of its route.");
  }
}

/** The validators of schemas that are constants, which all collectors of a process share. */
const compiled = new WeakMap<object, Validate>();

/**
 * Creates validators that load Ajv and compile their schema with the first request of a route. Compilation of all routes
 * takes more than a third of the CPU time of the start, and few routes are ever used.
 *
 * Requests that wait for the compilation resume one per turn of the event loop. In the same turn, all their responses
 * would be in memory together.
 */
function createLazyCompiler(clock: Pick<Clock, "monotonic">) {
  let ajv: Promise<Compile> | undefined;
  return ({ schema, httpPart }: Pick<FastifyRouteSchemaDef<object>, "schema" | "httpPart">) => {
    let validate = compiled.get(schema);
    return (data: unknown) => {
      if (httpPart === "querystring") readQueryValues(schema, data);
      if (validate !== undefined) return validate(data) === true || { error: validate.errors ?? [] };
      ajv ??= loadAjv();
      return ajv.then(async (compile) => {
        validate ??= compile(schema);
        compiled.set(schema, validate);
        await new TimeSlice(clock).next();
        if (validate(data) !== true) throw new SchemaMismatch(validate.errors ?? []);
      });
    };
  };
}

/** Validator factory for Fastify's `schemaController`. Fastify documents other compilers, but its types allow only Ajv's. */
export function lazyValidators(clock: Pick<Clock, "monotonic">): ValidatorFactory {
  return (() => createLazyCompiler(clock)) as unknown as ValidatorFactory;
}
