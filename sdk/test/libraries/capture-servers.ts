import { afterAll, beforeAll, beforeEach } from "vitest";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { takeAll } from "./taken-spans.js";

/** The servers that answer the calls of `capture-calls.ts`. */
export interface CaptureServers {
  readonly http: ReplayServer;
  /** Amazon's client speaks HTTP/2. */
  readonly http2: ReplayServer;
}

/**
 * Starts the servers before the tests of a file and closes them after. Each test starts without spans.
 *
 * @returns the servers, which a test reads while it runs.
 */
export function useCaptureServers(): () => CaptureServers {
  let servers: CaptureServers | undefined;
  beforeAll(async () => {
    servers = { http: await startReplayServer(), http2: await startReplayServer("http2") };
  });
  afterAll(async () => {
    await servers?.http.close();
    await servers?.http2.close();
  });
  beforeEach(() => void takeAll());
  return () => {
    if (servers === undefined) throw new Error("The servers start before the first test.");
    return servers;
  };
}
