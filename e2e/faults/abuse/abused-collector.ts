import { writeFileSync } from "node:fs";
import { collectorForTest, type BuiltCollector, type Settings } from "../../harness/built-collector.js";
import { IS_WHOLE } from "../../harness/experiment.js";
import { sharedCollector } from "../../harness/shared-collector.js";
import { HEAP_MEBIBYTES, STORE_MEBIBYTES, type Abuse } from "./abuse.js";

const NODE_ARGUMENTS = [`--max-old-space-size=${HEAP_MEBIBYTES}`];

/**
 * Gives each abuse its collector. In `npm run faults` each has its own, so that the figures compare. In the tests, abuses with
 * equal settings follow each other on one collector: starts take longer than most of the abuses.
 */
export function abusedCollectors(abuses: readonly Abuse[]): (abuse: Abuse) => Promise<BuiltCollector> {
  const keyOf = ({ settings = {} }: Abuse): string => JSON.stringify(settings);
  const shared = new Map<string, () => Promise<BuiltCollector>>();
  for (const abuse of abuses) {
    const key = keyOf(abuse);
    const isShared = !IS_WHOLE && abuses.filter((each) => keyOf(each) === key).length > 1;
    if (isShared && !shared.has(key)) shared.set(key, sharedCollector(allSettings(abuse), NODE_ARGUMENTS));
  }
  return async (abuse) => {
    const sharedOne = shared.get(keyOf(abuse));
    if (sharedOne === undefined) return await collectorForTest(allSettings(abuse), NODE_ARGUMENTS);
    const collector = await sharedOne();
    forgetPeakMemory(collector);
    return collector;
  };
}

function allSettings({ settings = {} }: Abuse): Settings {
  return { ...settings, TRACE_STORE_MAX_BYTES: String(STORE_MEBIBYTES * 1024 * 1024) };
}

/** Lets the peak of the resident memory begin with what is resident now (Linux). */
function forgetPeakMemory({ pid }: BuiltCollector): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // The peak of the abuses before counts too, and is under the same limit.
  }
}
