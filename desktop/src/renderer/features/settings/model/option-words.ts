import { byteSizeText, type ConfigEntry } from "@obspan/collector-core/api-schema";
import { optionText, optionValue } from "../../../store/option-text.js";

/** Where the value of an option comes from. */
export interface OptionSource {
  readonly name: "default" | "file" | "env" | "flag" | "saved" | "edited";
  /** The tooltip. */
  readonly tip: string;
}

/** @param isEdited - whether a change is not saved yet. */
export function sourceOf(entry: ConfigEntry, isEdited: boolean): OptionSource {
  const { source } = entry;
  if (isEdited) return { name: "edited", tip: "Not saved yet" };
  if (entry.after_restart !== undefined) {
    const how = entry.changed_over_http === true ? "Changed over HTTP" : "Changed in the file";
    return { name: "saved", tip: `${how}; takes effect after a restart` };
  }
  if (source === "default") return { name: "default", tip: "No variable and no file sets it" };
  if (source === entry.env) return { name: "env", tip: source };
  if (source.startsWith("--") || !/:\d+$/.test(source)) return { name: "flag", tip: source };
  return { name: "file", tip: source };
}

/** Why an option cannot be changed here; undefined if it can. */
export function lockOf(key: string, { source, env, env_only, read_only }: ConfigEntry): string | undefined {
  if (key === "config_file") return `Set by --config or ${env}.`;
  if (env_only) return `Set by ${env} only.`;
  if (source === env) return `Set by ${env}; change it there.`;
  if (read_only) return `Set by ${env} or in the file itself, because it names a place on the disk.`;
  return undefined;
}

/** The unit of a number, by the name of its key. Many bytes are said in a larger unit: `= 256 MiB`. */
export function unitOf(key: string, text: string): string | undefined {
  const unit = UNITS.find(([end]) => key.endsWith(end))?.[1];
  const value = optionValue(text, { type: "number" });
  return unit === "bytes" && typeof value === "number" && value >= 1024 ? `= ${byteSizeText(value)}` : unit;
}

const UNITS: readonly (readonly [end: string, unit: string])[] = [
  ["_bytes", "bytes"],
  ["_pct", "%"],
  ["_ms", "ms"],
  ["_seconds", "s"],
  ["flush_interval", "s"],
  ["_rpm", "a minute"],
  ["_usd", "USD"],
];

/** A value in a sentence: `unset`, `50,000`. */
export function valueWords(value: unknown): string {
  if (typeof value === "number") return value.toLocaleString("en-US", { maximumFractionDigits: 20 });
  return optionText(value) || "unset";
}
