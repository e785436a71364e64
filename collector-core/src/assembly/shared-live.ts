import type { LiveBus } from "../interfaces.js";
import type { LiveHub } from "../query/live-hub.js";

/** A hub that tells other collectors what changes in the store that they share, and its readers what others change. */
export function shareLive(hub: LiveHub, bus: LiveBus): LiveHub {
  bus.subscribe((change) => {
    if (typeof change === "string") hub.cleared();
    else hub.changed(change);
  });
  return {
    ...hub,
    changed(keys) {
      hub.changed(keys);
      bus.publish(keys);
    },
    cleared(isDeleted) {
      hub.cleared(isDeleted);
      bus.publish("cleared");
    },
  };
}
