import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { errorCode } from "../../../runtime/describe-error.js";
import { copyText } from "../../../span/kept-text.js";

/** What tells a process from another one that later has the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Changes when the machine starts; empty if unknown. */
  readonly boot: string;
  /** Where process ids have a meaning: containers have namespaces of their own. Empty if unknown. */
  readonly pidNamespace: string;
  /** When the process started, as the system tells it; empty if unknown. */
  readonly started: string;
}

/** Whether a process still runs. "elsewhere": its id has no meaning in this container or on this machine. */
export type Liveness = "alive" | "dead" | "elsewhere";

/** The namespace outside of all containers has this number on every Linux. */
const INITIAL_PID_NAMESPACE = "pid:[4026531836]";

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    boot: read(() => firstWord(readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))),
    pidNamespace: read(() => readlinkSync("/proc/self/ns/pid")),
    started:
      process.platform === "linux"
        ? startOf(process.pid)
        : new Date(Date.now() - process.uptime() * 1000).toISOString(),
  };
}

/** Finds out if the process with that identity still runs. A process that reuses its id is another one. */
export function livenessOf(identity: ProcessIdentity, own: ProcessIdentity): Liveness {
  const isSameHost = identity.host === own.host;
  if (identity.boot !== own.boot) {
    const isOutsideContainers = [identity, own].every(
      ({ pidNamespace }) => pidNamespace === INITIAL_PID_NAMESPACE,
    );
    return isSameHost && isOutsideContainers ? "dead" : "elsewhere";
  }
  // A boot id names a machine. Without one, only the name of the host does.
  if (identity.pidNamespace !== own.pidNamespace || (own.boot === "" && !isSameHost)) return "elsewhere";
  if (!exists(identity.pid)) return "dead";
  if (identity.pid === own.pid) return isSameStart(identity.started, own.started) ? "alive" : "dead";
  return isSameStart(identity.started, startOf(identity.pid)) ? "alive" : "dead";
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it belongs to another user.
    return errorCode(error) !== "ESRCH";
  }
}

/** Two readings of the clock of one process may differ by its rounding. An unknown start counts as the same. */
const TOLERANCE_MS = 5000;

function isSameStart(first: string, second: string): boolean {
  if (first === "" || second === "" || first === second) return true;
  const [firstMs, secondMs] = [Date.parse(first), Date.parse(second)];
  return Math.abs(firstMs - secondMs) <= TOLERANCE_MS;
}

/** When a process started; empty if the system does not tell. */
function startOf(pid: number): string {
  const { platform } = process;
  if (platform === "linux") return read(() => startTicks(readFileSync(`/proc/${pid}/stat`, "utf8")));
  if (platform === "darwin")
    return toIso(output("env", ["LC_ALL=C", "TZ=UTC", "ps", "-o", "lstart=", "-p", String(pid)], " UTC"));
  if (platform === "win32")
    return toIso(
      output("powershell.exe", [
        "-NoProfile",
        "-NonInteractive",
        "-Command",
        `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString('o')`,
      ]),
    );
  return "";
}

/** Ticks since the boot: the 22nd field. The second one, the name, may contain spaces and brackets. */
function startTicks(stat: string): string {
  const afterName = copyText(stat.slice(stat.lastIndexOf(")") + 2));
  return copyText(/^(?:\S+ ){19}(\d+) /.exec(afterName)?.[1] ?? "");
}

const COMMAND_TIMEOUT_MS = 10_000;

function output(command: string, args: readonly string[], suffix = ""): string {
  const { status, stdout } = spawnSync(command, args, {
    encoding: "utf8",
    timeout: COMMAND_TIMEOUT_MS,
    windowsHide: true,
  });
  return status === 0 ? firstLine(stdout) + suffix : "";
}

function toIso(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? "" : new Date(ms).toISOString();
}

function firstLine(text: string): string {
  return copyText(/[^\r\n]*/.exec(text)?.[0] ?? "");
}

function firstWord(text: string): string {
  return copyText(/\S+/.exec(text)?.[0] ?? "");
}

function read(source: () => string): string {
  try {
    return source();
  } catch {
    return "";
  }
}
