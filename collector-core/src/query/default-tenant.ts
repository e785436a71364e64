import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { isRecord } from "../span/span-facts.js";

/**
 * Makes the tenant header the default of `tenant` in every route whose query or body has that field, so that no route can
 * forget it. An explicit `tenant` wins: the header is a label, not a credential.
 */
export function defaultTenantByHeader(
  app: FastifyInstance,
  tenantOf: (request: IncomingMessage) => string | undefined,
): void {
  app.addHook("preValidation", (request, _reply, done) => {
    const { querystring, body } = request.routeOptions.schema ?? {};
    for (const [schema, values] of [
      [querystring, request.query],
      [body, request.body],
    ] as const) {
      if (!hasTenant(schema) || !isRecord(values) || values["tenant"] !== undefined) continue;
      const tenant = tenantOf(request.raw);
      if (tenant !== undefined) values["tenant"] = tenant;
    }
    done();
  });
}

function hasTenant(schema: unknown): boolean {
  return isRecord(schema) && isRecord(schema["properties"]) && schema["properties"]["tenant"] !== undefined;
}
