import { createApiKeys, type ApiKeys } from "../ingest/api-keys.js";
import { createClientAddressReader } from "../ingest/client-address.js";
import { createEndedSessions } from "../ingest/ended-sessions.js";
import type { TenantOptions } from "../ingest/tenant.js";
import type { Foundation } from "./foundation.js";
import type { Shared } from "./shared.js";

/** Authentication, client addresses and tenants. */
export interface Access {
  readonly addressOf: ReturnType<typeof createClientAddressReader>;
  readonly apiKeys: ApiKeys;
  readonly tenants: TenantOptions;
}

export function createAccess({ config, clock }: Foundation, shared: Shared | undefined): Access {
  const addressOf = createClientAddressReader(config["server.trusted_proxies"]);
  const endedSessions = createEndedSessions();
  return {
    addressOf,
    apiKeys: createApiKeys({
      keys: config["auth.api_keys"],
      clock,
      addressOf,
      endedSessions: shared === undefined ? endedSessions : shared.endedSessions(endedSessions),
    }),
    tenants: {
      enabled: config["multi_tenant.enabled"],
      headerName: config["multi_tenant.header_name"],
    },
  };
}
