import { readFileSync } from "node:fs";

/** Peak resident memory of a process (Linux). */
export function peakMemoryBytes(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  if (kibibytes === undefined) throw new Error("The process has no VmHWM.");
  return Number(kibibytes) * 1024;
}
