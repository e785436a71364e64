import { createApiKeys, type ApiKeys } from "../ingest/api-keys.js";
import { createClientAddressReader } from "../ingest/client-address.js";
import type { TenantOptions } from "../ingest/tenant.js";
import type { Foundation } from "./foundation.js";

/** Authentication, client addresses and tenants. */
export interface Access {
  readonly addressOf: ReturnType<typeof createClientAddressReader>;
  readonly apiKeys: ApiKeys;
  readonly tenants: TenantOptions;
}

export function createAccess({ config, clock }: Foundation): Access {
  const addressOf = createClientAddressReader(config["server.trusted_proxies"]);
  return {
    addressOf,
    apiKeys: createApiKeys({ keys: config["auth.api_keys"], clock, addressOf }),
    tenants: {
      enabled: config["multi_tenant.enabled"],
      headerName: config["multi_tenant.header_name"],
    },
  };
}
