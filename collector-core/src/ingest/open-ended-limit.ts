import type { ServerResponse } from "node:http";
import { ApiError } from "../api-schema/errors.js";
import { ClientCounts } from "./client-counts.js";
import { clientNetwork } from "./client-network.js";

/** Limits of {@link createOpenEndedLimit}. */
export interface OpenEndedLimits {
  /** Responses of all clients. */
  readonly max: number;
  /** Responses of one address. */
  readonly maxPerAddress: number;
  /** Loopback and `server.trusted_proxies`: many clients share such an address. */
  readonly isExempt: (address: string) => boolean;
}

/** Limits the responses that stream until the client disconnects. */
export interface OpenEndedLimit {
  /**
   * Counts a response until it closes.
   *
   * @param makeRoom - ends another response at the limit; false if none can end.
   * @throws `ApiError` overloaded beyond the limits.
   */
  admit(response: ServerResponse, address: string, makeRoom?: () => boolean): void;
}

export function createOpenEndedLimit({ max, maxPerAddress, isExempt }: OpenEndedLimits): OpenEndedLimit {
  const counts = new ClientCounts();
  let count = 0;
  return {
    admit(response, address, makeRoom) {
      const client = clientNetwork(address);
      if (counts.of(client) >= maxPerAddress && !isExempt(address))
        throw tooMany(maxPerAddress, "of this address ");
      if (count >= max && makeRoom?.() !== true) throw tooMany(max, "");
      count++;
      counts.add(client);
      response.once("close", () => {
        count--;
        counts.remove(client);
      });
    },
  };
}

function tooMany(max: number, whose: string): ApiError {
  return new ApiError(
    "overloaded",
    `${max} clients ${whose}read this stream, which is the limit. Try again later.`,
    { max_readers: max },
    { "Retry-After": "2" },
  );
}
