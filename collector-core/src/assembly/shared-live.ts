import type { LiveHub } from "../query/live-hub.js";
import type { Shared } from "./shared.js";

/** A hub that tells other collectors what changes in the store that they share, and its readers what others change. */
export function shareLive(hub: LiveHub, { live, deletions }: Pick<Shared, "live" | "deletions">): LiveHub {
  live.subscribe((change) => {
    if (change === "cleared") void deletions.look();
    else if (change === "burst") hub.cleared();
    else hub.changed(change);
  });
  return {
    ...hub,
    changed(keys) {
      hub.changed(keys);
      live.publish(keys);
    },
  };
}
