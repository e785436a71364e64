import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { rawRequest, sendRequest, sendRequests } from "../../harness/raw-requests.js";
import { until } from "../../harness/until.js";
import type { Abuse } from "./abuse.js";

const JSON_BODY = { "Content-Type": "application/json" };
/** Does not compress to less than three quarters, and takes longer to store than to send. */
const TEXT = randomBytes(750_000).toString("base64");
const SENDERS = 4;

/** @param at - where the text begins. */
function largeTrace(traceId: string, at: number) {
  const text = TEXT.slice(at) + TEXT.slice(0, at);
  const span = { name: "run", trace_id: traceId, span_id: "s1", attributes: { input_text: text } };
  const body = [Buffer.from(JSON.stringify({ service: "shop", spans: [span] }))];
  return rawRequest({ path: "/v1/telemetry", headers: JSON_BODY, body });
}

/** Deletions from a file that somebody writes to without a pause. @param directory - of the file. */
export function deletionAbuses(directory: string): readonly Abuse[] {
  return [
    {
      name: "traces that are deleted while one sender sends more than the disk takes",
      settings: { TRACE_STORE_PATH: directory, LIMITS_MAX_QUEUE_BYTES: String(32 * 2 ** 20) },
      async prepare({ collector, port, size, note }) {
        const deleted = Array.from({ length: size(1, 10) }, (_, n) => `deleted-${n}`);
        for (const [index, traceId] of deleted.entries())
          expect((await sendRequest(port, largeTrace(traceId, index * 1000))).status).toBe(202);
        await until("the traces are stored", async () => {
          const response = await fetch(`${collector.url}/v1/traces?trace_id=${deleted.at(-1)}`);
          const { traces } = (await response.json()) as { traces: readonly unknown[] };
          return traces.length === 1 || undefined;
        });
        return async () => {
          let isDeleting = true;
          const senders = Array.from({ length: SENDERS }, async (_, sender) => {
            for (let n = 0; isDeleting; n++)
              await sendRequests(
                port,
                [largeTrace(`sent-${sender}-${n}`, ((n + sender * 97) * 7919) % TEXT.length)],
                1,
              );
          });
          for (const traceId of deleted) {
            // What was sent before is stored first: on a busy machine a request may have to be sent again.
            let status = 503;
            while (status === 503) {
              status = (await fetch(`${collector.url}/v1/traces/${traceId}`, { method: "DELETE" })).status;
              note([{ status, bytes: 0, start: "", tookMs: 0 }]);
            }
            expect([204, 404]).toContain(status);
          }
          isDeleting = false;
          await Promise.all(senders);
        };
      },
      async holds({ collector }) {
        const response = await fetch(`${collector.url}/v1/traces?trace_id=deleted-0`);
        expect(await response.json()).toMatchObject({ traces: [] });
      },
    },
  ];
}
