import type { IncomingMessage } from "node:http";
import { createTenantReader, type TenantOptions } from "./tenant.js";

/**
 * The tenant that the header of a question names: the default of its parameter `tenant`. Undefined where the collector is
 * not multi-tenant, and where the header is missing or empty: whoever sends none asks about every tenant.
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
