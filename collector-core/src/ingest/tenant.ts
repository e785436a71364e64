import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { ApiError } from "../api-schema/errors.js";
import { copyText, truncateCodePoints } from "../span/kept-text.js";

/** `multi_tenant.enabled` and `multi_tenant.header_name` (spec 2.6). */
export interface TenantOptions {
  readonly enabled: boolean;
  readonly headerName: string;
}

/**
 * Reads the tenant of a request: `""` if the collector is not multi-tenant, `unknown` if the header is missing
 * (contract 4). It is a label, not a credential (spec 5).
 *
 * @throws `ApiError` invalid_tenant.
 */
export type ReadTenant = (request: Pick<IncomingMessage, "headersDistinct">) => string;

/** Maximum length of a tenant in characters (contract 4). */
const MAX_TENANT_LENGTH = 128;
const CONTROL_CHARACTER = /\p{Cc}/u;

export function createTenantReader({ enabled, headerName }: TenantOptions): ReadTenant {
  if (!enabled) return () => "";
  const header = headerName.toLowerCase();
  return ({ headersDistinct }) => {
    const values = headersDistinct[header];
    if (values === undefined) return "unknown";
    if (values.length > 1) throw invalid(`occurs ${values.length} times; it may occur once`);
    const tenant = copyText(decode(values[0] ?? "").trim());
    if (tenant === "") return "unknown";
    const problem = tenantProblem(tenant);
    if (problem !== undefined) throw invalid(problem);
    return tenant;
  };

  function invalid(what: string): ApiError {
    return new ApiError("invalid_tenant", `The header ${headerName} ${what}.`);
  }
}

/** Returns the problem of an invalid tenant, or undefined for a valid one. */
export function tenantProblem(tenant: string): string | undefined {
  if (CONTROL_CHARACTER.test(tenant)) return "has control characters";
  const isLong = truncateCodePoints(tenant, MAX_TENANT_LENGTH) !== tenant;
  return isLong ? `is longer than ${MAX_TENANT_LENGTH} characters` : undefined;
}

/** Node decodes header values as Latin-1. Values that are valid UTF-8 are decoded as UTF-8. */
function decode(value: string): string {
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : value;
}
