import type { ValidatorFactory } from "@fastify/ajv-compiler";
import type { FastifyRouteSchemaDef } from "fastify/types/schema.js";
import type { FastifySchemaValidationError } from "fastify";
import type { Clock } from "../runtime/clock.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { readQueryValues } from "./query-values.js";

/**
 * Unknown parameters are refused, for a mistyped filter must not match all. The schemas are TypeBox's, whose types
 * check them: to have Ajv check them as well was a third of what the first question waited for.
 */
const AJV_OPTIONS = {
  coerceTypes: false,
  removeAdditional: false,
  allErrors: true,
  verbose: true,
  validateSchema: false,
} as const;

/** Checks data; what is wrong with it is left in `errors`. */
type Validate = ((data: unknown) => unknown) & { errors?: FastifySchemaValidationError[] | null };
type Compile = (schema: object) => Validate;

async function loadAjv(): Promise<Compile> {
  const { default: AjvCompiler } = await import("@fastify/ajv-compiler");
  const compile = AjvCompiler()({}, { customOptions: AJV_OPTIONS });
  return (schema) => compile({ schema }) as Validate;
}

/** As Fastify itself says it of data that does not match: it takes a rejection for an error of its own making. */
class DoesNotMatch extends Error {
  readonly statusCode = 400;

  constructor(readonly validation: readonly FastifySchemaValidationError[]) {
    super("The request does not match the schema of its route.");
  }
}

/**
 * Makes validators that load Ajv, and compile what a route validates with, when the route is first asked. Doing so for all
 * routes at the start took more than a third of its processor time, and few of them are ever asked.
 *
 * Questions that have waited for that go on one in each turn of the event loop: together they would all be answered in the
 * same turn, and hold all of their answers in memory.
 */
function createLazyCompiler(clock: Pick<Clock, "monotonic">) {
  let ajv: Promise<Compile> | undefined;
  return ({ schema, httpPart }: Pick<FastifyRouteSchemaDef<object>, "schema" | "httpPart">) => {
    let known: Validate | undefined;
    return (data: unknown) => {
      if (httpPart === "querystring") readQueryValues(schema, data);
      if (known !== undefined) return known(data) === true || { error: known.errors ?? [] };
      ajv ??= loadAjv();
      return ajv.then(async (compile) => {
        known ??= compile(schema);
        await new TimeSlice(clock).next();
        if (known(data) !== true) throw new DoesNotMatch(known.errors ?? []);
      });
    };
  };
}

/** For Fastify's `schemaController`. Its types know Ajv's own compiler only; what it calls is what is documented of others. */
export function lazyValidators(clock: Pick<Clock, "monotonic">): ValidatorFactory {
  return (() => createLazyCompiler(clock)) as unknown as ValidatorFactory;
}
