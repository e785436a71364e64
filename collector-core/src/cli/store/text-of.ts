import { byteSizeText } from "../../api-schema/byte-size.js";
import { counted } from "../../runtime/counted.js";
import type { StoreCompaction, StoreInfo, StorePruned, StoreVerification } from "../../api-schema/store.js";
import { formatDuration } from "../durations.js";
import type { WrittenBackup } from "./store-access.js";

/** Longer than each name of a row. */
const NAME_WIDTH = 11;

export function infoText(info: StoreInfo, url: string | null): string {
  const limits = [
    ...(info.ttl_seconds > 0 ? [formatDuration(info.ttl_seconds)] : []),
    byteSizeText(info.disk_max_bytes),
    ...(info.max_traces === null ? [] : [counted(info.max_traces, "trace")]),
  ];
  const rows: (readonly [string, string])[] = [
    ["Directory", info.directory],
    ["Collector", url === null ? "not running" : `${url} (${info.version})`],
    ["State", info.reason === null ? info.state : `${info.state}: ${info.reason}`],
    ["Kept", `${counted(info.traces, "trace")}, ${counted(info.spans, "span")}`],
    ...(info.kept_since === null
      ? []
      : [["Since", `${shownTime(info.kept_since)}, newest ${shownTime(info.newest ?? "")}`] as const]),
    ["Limits", limits.join(", ")],
    ["On disk", `${byteSizeText(info.disk_bytes)}, of which ${byteSizeText(info.reusable_bytes)} reusable`],
    ...(info.free_bytes === null ? [] : [["Disk free", byteSizeText(info.free_bytes)] as const]),
    ...(info.task === null ? [] : [["Under way", taskText(info)] as const]),
    ["Format", `${info.format_version}, SQLite ${info.sqlite_version} (${info.driver})`],
  ];
  return rows.map(([name, value]) => `${name.padEnd(NAME_WIDTH)}${value}\n`).join("");
}

function taskText({ task, rebuild_progress: progress }: StoreInfo): string {
  return task === "rebuild" ? `rebuild, ${Math.floor((progress ?? 1) * 100)} % done` : (task ?? "");
}

function shownTime(time: string): string {
  return time.replace("T", " ").replace(/\.\d+Z$/, " UTC");
}

export function compactionText({ bytes_before: before, bytes_after: after }: StoreCompaction): string {
  return `The file was ${byteSizeText(before)} and is ${byteSizeText(after)} now.\n`;
}

export function verificationText({ chunks, problems }: StoreVerification): string {
  if (problems.length === 0) return `The file is sound: ${counted(chunks, "chunk")} checked.\n`;
  return `The file is damaged:\n${problems.map((problem) => `  ${problem}\n`).join("")}`;
}

export function prunedText({ pruned }: StorePruned): string {
  const hint =
    pruned === 0 ? "" : " New spans fill the space; `obspan store compact` gives it back to the disk.";
  return `${counted(pruned, "trace")} removed.${hint}\n`;
}

export function backupText({ file, bytes }: WrittenBackup): string {
  return `${byteSizeText(bytes)} written to ${file}.\n`;
}
