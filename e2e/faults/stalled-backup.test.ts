import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { collectorForTest } from "../harness/built-collector.js";

/** A connection on which nothing moves is closed after 20 seconds, or twice that while the system still takes bytes. */
const CUT_OFF_MS = 90_000;

it(
  "cuts off a backup that is never read, and stores spans meanwhile",
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "obspan-stalled-backup-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const collector = await collectorForTest({ TRACE_STORE_PATH: directory });
    const info = async (): Promise<{ traces: number; task: string | null; state: string }> =>
      (await (await fetch(`${collector.url}/v1/store`)).json()) as {
        traces: number;
        task: string | null;
        state: string;
      };
    const noise = (): string => randomBytes(16_500).toString("base64");
    async function send(traces: number): Promise<void> {
      for (let from = 0; from < traces; from += 50) {
        const spans = Array.from({ length: 50 }, (_, index) => ({
          name: "call",
          trace_id: `${traces}-${from + index}`,
          duration_ms: 1,
          attributes: { note: noise() },
        }));
        const answer = await fetch(`${collector.url}/v1/telemetry`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ service: "s", spans }),
        });
        expect(answer.status).toBe(202);
      }
    }
    // More than the buffers of a connection hold.
    await send(2000);
    await expect.poll(async () => (await info()).traces, { timeout: 30_000 }).toBe(2000);

    const socket = connect(collector.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    socket.pause();
    socket.write("GET /v1/store/backup HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await expect.poll(async () => (await info()).task, { timeout: 10_000 }).toBe("backup");
    await send(100);
    await expect.poll(async () => (await info()).task, { timeout: CUT_OFF_MS, interval: 500 }).toBe(null);
    expect(await info()).toMatchObject({ traces: 2100, state: "ok" });
    // The log is short again.
    await expect
      .poll(() => statSync(join(directory, "traces.db-wal")).size, { timeout: 20_000 })
      .toBeLessThan(2 ** 20);
  },
  CUT_OFF_MS + 60_000,
);
