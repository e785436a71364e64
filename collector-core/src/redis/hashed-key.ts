import { createHash } from "node:crypto";

/** The key of something that senders have named: its hash, so that a name is neither long nor readable there. */
export function hashedKey(prefix: string, name: string): string {
  return prefix + createHash("sha256").update(name).digest("base64url").slice(0, 27);
}
