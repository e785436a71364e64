import { expect } from "vitest";
import type { BuiltCollector } from "./built-collector.js";
import { batchOf, telemetry, type HttpClient } from "./http-client.js";
import { expectToAddUp, ledgerAtRest } from "./ledger.js";

/** Expects that a collector answers, that its ledger adds up, and that its structured log has no error. */
export async function expectCollectorUnharmed(collector: BuiltCollector, client: HttpClient): Promise<void> {
  const id = `unharmed-${Math.random()}`;
  expect((await client.send(telemetry(batchOf(2, id))).answer).status).toBe(202);
  expectToAddUp(await ledgerAtRest(collector.url));
  const { status, body } = await client.send({ path: `/v1/traces/${id}` }).answer;
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ trace: { span_count: 2 } });
  expect(collector.stderr.filter((line) => /"level":"(ERROR|CRITICAL)"/.test(line))).toEqual([]);
  expect(collector.hasExited()).toBe(false);
}
