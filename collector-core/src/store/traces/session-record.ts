import type { SessionKey } from "../../interfaces.js";
import { NO_SLOT } from "./trace-chain.js";

/** Measured size of a session without the characters of its id, with its entries in the index. */
const SESSION_BYTES = 320;

/** A session of a store in memory: the chain of its traces. */
export class SessionRecord implements SessionKey {
  readonly tenant: string;
  readonly sessionId: string;
  /** Slots of its traces, in the order in which they named the session. */
  first = NO_SLOT;
  last = NO_SLOT;
  count = 0;
  /** Incremented when one of its traces comes, goes or changes. */
  changes = 0;
  /** At least the sequence of its newest trace. */
  newestSequence = 0;
  /** Its place in the order `newest`, as of `rankedChanges`. */
  latestEndMs = 0;
  latestSequence = 0;
  rankedChanges = -1;

  constructor({ tenant, sessionId }: SessionKey) {
    this.tenant = tenant;
    this.sessionId = sessionId;
  }

  /** Estimated size. */
  get bytes(): number {
    return SESSION_BYTES + this.sessionId.length * 2;
  }
}
