import { errorMessage, writePrivateFile, type Logger } from "@obspan/collector-core";
import { readFileSync } from "node:fs";
import type { rename } from "node:fs/promises";
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";

/** Paths of files that the menu offers again. */
const MAX_RECENT_FILES = 10;

const PreferencesSchema = Type.Object({
  /** Closing the window leaves the collector running in the tray. */
  keepsCollecting: Type.Boolean(),
  /** The user has been told that closing the window does not quit. */
  wasToldOfTray: Type.Boolean(),
  /** The offer of the first run to change how long traces are kept was answered. */
  isRetentionSettled: Type.Boolean(),
  notifiesFailedRuns: Type.Boolean(),
  /** A version that the user does not want yet; empty if there is none. */
  laterVersion: Type.String({ maxLength: 64 }),
  /** A run that costs more is reported; null reports none. */
  costLimitUsd: Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()]),
  /** The latest first. */
  recentFiles: Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { maxItems: MAX_RECENT_FILES }),
});

/** What the user has chosen in the menus of the shell. The collector's own settings are in its configuration. */
export type PreferenceValues = Static<typeof PreferencesSchema>;

const DEFAULTS: PreferenceValues = {
  keepsCollecting: true,
  wasToldOfTray: false,
  isRetentionSettled: false,
  notifiesFailedRuns: false,
  laterVersion: "",
  costLimitUsd: null,
  recentFiles: [],
};

/** The preferences, kept in a file. */
export interface Preferences {
  readonly values: PreferenceValues;
  /** Changes some values, calls the listeners, and writes the file beside that. */
  change(values: Partial<PreferenceValues>): void;
  /** Resolves when the last change is in the file, or was given up. */
  saved(): Promise<void>;
  /** Puts a file at the head of the recent ones. */
  addRecentFile(path: string): void;
  onChange(listener: () => void): void;
}

/** Reads the preferences. A value that is missing or invalid has its default. */
export function openPreferences(
  file: string,
  log: Pick<Logger, "warning">,
  renameFile?: typeof rename,
): Preferences {
  let values = read(file);
  let saving = Promise.resolve();
  const listeners: (() => void)[] = [];

  async function save(): Promise<void> {
    try {
      await writePrivateFile(file, JSON.stringify(values, undefined, 2), renameFile);
    } catch (error) {
      log.warning(`The preferences were not saved and hold until the app quits: ${errorMessage(error)}`);
    }
  }

  function change(changed: Partial<PreferenceValues>): void {
    values = { ...values, ...changed };
    // One after the other, so that the file ends with the last change.
    saving = saving.then(save);
    for (const listener of listeners) listener();
  }

  return {
    get values() {
      return values;
    },
    change,
    saved: () => saving,
    addRecentFile(path) {
      const others = values.recentFiles.filter((each) => each !== path);
      change({ recentFiles: [path, ...others].slice(0, MAX_RECENT_FILES) });
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

function read(file: string): PreferenceValues {
  let stored: unknown;
  try {
    stored = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return DEFAULTS;
  }
  if (typeof stored !== "object" || stored === null) return DEFAULTS;
  const fields = new Map<string, unknown>(Object.entries(stored));
  const valid = Object.entries(PreferencesSchema.properties).flatMap(([name, schema]) =>
    Value.Check(schema, fields.get(name)) ? [[name, fields.get(name)] as const] : [],
  );
  return { ...DEFAULTS, ...(Object.fromEntries(valid) as Partial<PreferenceValues>) };
}
