import type { IncomingMessage } from "node:http";
import { createTenantReader, type TenantOptions } from "./tenant.js";

/**
 * Reads the tenant header of a query, the default of its parameter `tenant`. Returns undefined, for all tenants, if the
 * collector is not multi-tenant or the header is missing or empty.
 *
 * @throws `ApiError` invalid_tenant.
 */
export type ReadTenantFilter = (request: Pick<IncomingMessage, "headersDistinct">) => string | undefined;

export function createTenantFilterReader(options: TenantOptions): ReadTenantFilter {
  const readTenant = createTenantReader(options);
  const header = options.headerName.toLowerCase();
  return (request) => {
    const isNamed = request.headersDistinct[header]?.some((value) => value.trim() !== "") === true;
    return options.enabled && isNamed ? readTenant(request) : undefined;
  };
}
