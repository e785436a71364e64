import { afterEach, beforeEach, expect, it } from "vitest";
import { aSpan, pipelineSpans } from "../span-batches.js";
import type { DurableStore } from "./durable-store.js";
import { openFaultyStore, type Faults } from "./faulty-database.js";

let durable: DurableStore;
let faults: Faults;
beforeEach(async () => {
  ({ durable, faults } = await openFaultyStore());
});
afterEach(() => durable.close());

const append = async (span_id: string, attributes: Record<string, string> = {}): Promise<void> => {
  await durable.store.append(pipelineSpans([aSpan({ trace_id: "t", span_id, attributes })]));
  await durable.store.flush();
};
const columns = () => faults.db?.prepare("SELECT session_id, user_id FROM trace_detail").get();

it("is written again only when a span tells a new one, because it is in two indexes", async () => {
  await append("a");
  expect(columns()).toEqual({ session_id: null, user_id: null });
  let written = 0;
  faults.onStatement = (sql) => {
    if (/^UPDATE trace_detail SET session_id/.test(sql)) written++;
  };
  await append("b", { user_id: "alice" });
  expect([written, columns()]).toEqual([1, { session_id: null, user_id: "alice" }]);
  await append("c", { session_id: "s1" });
  expect([written, columns()]).toEqual([2, { session_id: "s1", user_id: "alice" }]);
  for (const span_id of ["d", "e", "f"]) await append(span_id, { session_id: "s1", user_id: "bob" });
  expect([written, columns()]).toEqual([2, { session_id: "s1", user_id: "alice" }]);
  // Also if the trace comes back from the file.
  await durable.reopen();
  await append("g");
  expect([written, columns()]).toEqual([2, { session_id: "s1", user_id: "alice" }]);
  expect((await durable.store.list({})).traces).toMatchObject([
    { session_id: "s1", user_id: "alice", span_count: 7 },
  ]);
});
