import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { startProgram, type ChildProgram, type Exit } from "./child-program.js";
import { parseLedgerLine, type LedgerLine } from "./ledger.js";
import { until, within } from "./until.js";

/** The built command `obspan`, or the build that `npm run faults -- --bin` names. */
export const OBSPAN =
  process.env["OBSPAN_FAULTS_BIN"] ??
  fileURLToPath(new URL("../../collector-core/bin/obspan.js", import.meta.url));

/** Environment variables without their prefix: `LIMITS_MAX_TRACES` for `OBS_SERVER_LIMITS_MAX_TRACES`. */
export type Settings = Readonly<Record<string, string>>;

/** A process of the built collector. */
export interface BuiltCollector extends ChildProgram {
  /** Its address: `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  /** Resolves with the first line on stderr that matches. */
  logged(pattern: RegExp, withinMs?: number): Promise<string>;
  /** Sends a signal and waits for the exit. Default: SIGTERM. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
  /** The ledger on the last line of stderr, after the exit. Throws if that line is none. */
  lastLedger(): LedgerLine;
}

/**
 * Starts `obspan serve` and waits until it listens, by default on 127.0.0.1 and a free port. The caller stops it;
 * {@link collectorForTest} does that itself.
 */
export async function startBuiltCollector(
  settings: Settings = {},
  nodeArguments: readonly string[] = [],
): Promise<BuiltCollector> {
  const program = serve(settings, nodeArguments);
  const { stderr } = program;
  const logged = (pattern: RegExp, withinMs?: number): Promise<string> =>
    until(`the collector logs ${pattern.source}`, () => stderr.find((line) => pattern.test(line)), withinMs);

  const url = await Promise.race([
    logged(LISTENING, START_WITHIN_MS).then((line) => LISTENING.exec(line)?.[1] ?? ""),
    program.exit.then(({ code }) => {
      throw new Error(`The collector ended with ${String(code)}:\n${stderr.join("\n")}`);
    }),
  ]).catch(async (error: unknown) => {
    await killProgram(program);
    throw error;
  });

  return {
    ...program,
    url,
    port: Number(new URL(url).port),
    logged,
    async stop(signal = "SIGTERM") {
      program.signal(signal);
      return await within(`the collector ends after ${signal}`, program.exit, 40_000);
    },
    lastLedger: () => parseLedgerLine(stderr.at(-1) ?? ""),
  };
}

/** {@link startBuiltCollector} for one test, killed at its end if it still runs. */
export async function collectorForTest(
  settings: Settings = {},
  nodeArguments: readonly string[] = [],
): Promise<BuiltCollector> {
  const collector = await startBuiltCollector(settings, nodeArguments);
  onTestFinished(() => killProgram(collector));
  return collector;
}

/** Runs `obspan serve` with settings that it refuses, until it exits. */
export async function serveToItsEnd(settings: Settings): Promise<ChildProgram & { readonly ended: Exit }> {
  const program = serve(settings);
  onTestFinished(() => killProgram(program));
  return { ...program, ended: await within("obspan serve exits", program.exit, START_WITHIN_MS) };
}

/** Kills a collector, also a stopped one, and waits for the exit. Does nothing after the exit. */
export async function killProgram(program: ChildProgram): Promise<void> {
  if (!program.hasExited()) program.signal("SIGKILL");
  await program.exit;
}

/** A start takes half a second, and far longer on a busy machine. */
const START_WITHIN_MS = 90_000;
const LISTENING = /Listening on (http:\/\/[^\s"]+)/;

/** The settings as variables, by default for 127.0.0.1 and a free port. */
export function asEnvironment(settings: Settings): Record<string, string> {
  const all = { HOST: "127.0.0.1", PORT: "0", ...settings };
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [`OBS_SERVER_${key}`, value]));
}

function serve(settings: Settings, nodeArguments: readonly string[] = []): ChildProgram {
  return startProgram(process.execPath, [...nodeArguments, OBSPAN, "serve"], asEnvironment(settings));
}
