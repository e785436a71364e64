/** What a collector that is killed loses of the spans that it has accepted. */
import { once } from "node:events";
import { Agent, request } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scrape, startCollector } from "./servers.mjs";
import { DEFAULT_TEXT_LENGTH, SpanBatch } from "./span-batches.mjs";

const SPANS = 10;
const RATE_PER_SECOND = 200;
const LOAD_MS = 1500;

/**
 * Kills a collector under load and starts it again, several times.
 *
 * @param {{ node: string, checkout?: string, kills: number }} options
 * @returns {Promise<number>} the most that was lost, in milliseconds of load.
 */
export async function lostAtKill({ node, checkout, kills }) {
  const directory = mkdtempSync(join(tmpdir(), "obspan-bench-"));
  const settings = { TRACE_STORE_PATH: directory };
  let most = 0;
  let number = 0;
  let acceptedBefore = 0;
  try {
    for (let kill = 0; kill < kills; kill++) {
      const collector = await startCollector({ checkout, node, settings });
      const sender = startSender(collector.port, () => ++number);
      await new Promise((resolve) => setTimeout(resolve, LOAD_MS + kill * 70));
      collector.process.kill("SIGKILL");
      const accepted = sender.stop();
      await once(collector.process, "exit");

      const again = await startCollector({ checkout, node, settings });
      const stored = (await scrape(again.port))("obs_trace_store_spans");
      await again.stop();
      most = Math.max(most, acceptedBefore + accepted * SPANS - stored);
      acceptedBefore = stored;
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return (most / SPANS / RATE_PER_SECOND) * 1000;
}

/** Sends at a fixed rate until it is stopped. */
function startSender(port, nextNumber) {
  const agent = new Agent({ keepAlive: true });
  const batch = new SpanBatch(SPANS, DEFAULT_TEXT_LENGTH);
  const startedAt = performance.now();
  let accepted = 0;
  let sent = 0;
  const timer = setInterval(() => {
    for (const due = ((performance.now() - startedAt) / 1000) * RATE_PER_SECOND; sent < due; sent++) {
      batch.stamp(nextNumber());
      const post = request({ port, agent, method: "POST", path: "/v1/telemetry" }, (response) => {
        response.resume();
        if (response.statusCode === 202) accepted++;
      });
      post.on("error", () => {});
      post.setHeader("Content-Type", "application/json");
      // The body is overwritten by the next request.
      post.end(Buffer.from(batch.body));
    }
  }, 2);
  return {
    /** @returns the requests that were accepted. */
    stop() {
      clearInterval(timer);
      agent.destroy();
      return accepted;
    },
  };
}
