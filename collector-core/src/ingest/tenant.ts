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
 * Says whose spans a request carries: `""` where the collector is not multi-tenant, `unknown` where the header is
 * missing (contract 4). It is a label, not a credential (spec 5).
 *
 * @throws `ApiError` invalid_tenant.
 */
export type ReadTenant = (request: Pick<IncomingMessage, "headersDistinct">) => string;

/** Longest tenant, in characters (contract 4). */
const MAX_TENANT_LENGTH = 128;
const CONTROL_CHARACTER = /\p{Cc}/u;

export function createTenantReader({ enabled, headerName }: TenantOptions): ReadTenant {
  if (!enabled) return () => "";
  const header = headerName.toLowerCase();
  return ({ headersDistinct }) => {
    const values = headersDistinct[header];
    if (values === undefined) return "unknown";
    if (values.length > 1) throw invalid(`comes ${values.length} times; it must come once`);
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

/** Why a text cannot be a tenant; undefined where it can. */
export function tenantProblem(tenant: string): string | undefined {
  if (CONTROL_CHARACTER.test(tenant)) return "has control characters";
  const isLong = truncateCodePoints(tenant, MAX_TENANT_LENGTH) !== tenant;
  return isLong ? `is longer than ${MAX_TENANT_LENGTH} characters` : undefined;
}

/** Node gives header values byte by byte; senders write UTF-8, or else Latin-1 is what they meant. */
function decode(value: string): string {
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : value;
}
