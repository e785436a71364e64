import { writeFileSync } from "node:fs";
import { collectorForTest, type BuiltCollector, type Settings } from "../../harness/built-collector.js";
import { IS_WHOLE } from "../../harness/experiment.js";
import { sharedCollector } from "../../harness/shared-collector.js";
import { HEAP_MEBIBYTES, STORE_MEBIBYTES, type Abuse } from "./abuse.js";

const NODE_ARGUMENTS = [`--max-old-space-size=${HEAP_MEBIBYTES}`];

/** These change or cost something for every abuse. */
const SETTINGS_APART = ["REDACTION_ENABLED", "EXPORTER_OTLP_ENDPOINT", "TRACE_STORE_PATH"];

/**
 * Gives each abuse its collector. In `npm run faults` each has its own, so that the figures compare. In the tests they follow
 * each other on few collectors, because starts take longer than most of the abuses: one with the defaults, one with all
 * settings that only the abuses with them notice, and one for each setting apart.
 */
export function abusedCollectors(abuses: readonly Abuse[]): (abuse: Abuse) => Promise<BuiltCollector> {
  if (IS_WHOLE) return async ({ settings }) => await collectorForTest(allSettings(settings), NODE_ARGUMENTS);
  const settingsOf = new Map<string, Settings>();
  for (const abuse of abuses) {
    const group = groupOf(abuse);
    settingsOf.set(group, { ...settingsOf.get(group), ...abuse.settings });
  }
  const shared = new Map(
    [...settingsOf].map(([group, settings]) => [
      group,
      sharedCollector(allSettings(settings), NODE_ARGUMENTS),
    ]),
  );
  return async (abuse) => {
    const collector = await shared.get(groupOf(abuse))?.();
    if (collector === undefined) throw new Error(`${abuse.name} has no collector.`);
    forgetPeakMemory(collector);
    return collector;
  };
}

function groupOf({ settings = {} }: Abuse): string {
  const keys = Object.keys(settings);
  if (keys.length === 0) return "defaults";
  return keys.find((key) => SETTINGS_APART.includes(key)) ?? "together";
}

function allSettings(settings: Settings = {}): Settings {
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
