import { once } from "node:events";
import type { ClientRequest } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { importInto, answerOf, FAKED, line, serveImports, until } from "./import-server.js";

const PLACES = 8;
const SLOW = { windowMs: 15_000, minBytes: 1 };

beforeEach(() => void vi.useFakeTimers({ toFake: [...FAKED.toFake] }));
afterEach(() => void vi.useRealTimers());

/** A server whose slots are all in use by imports that pause after the first line. */
async function serveFull() {
  const served = await serveImports({ pace: SLOW });
  const slow = Array.from({ length: PLACES }, () => served.open());
  for (const sent of slow) sent.write(line("1"));
  await until(() => served.pieces.length === PLACES);
  return { ...served, slow };
}

/** Sends bytes at a rate for `forMs`. */
async function send(to: readonly ClientRequest[], bytesPerSecond: number, forMs: number): Promise<void> {
  for (let ms = 0; ms < forMs; ms += 250) {
    for (const sent of to) {
      const taken = new Promise((resolve) => sent.write(" ".repeat(bytesPerSecond / 4), resolve));
      if (!sent.destroyed) await taken;
    }
    await vi.advanceTimersByTimeAsync(250);
  }
}

it("gives the slot of the slowest sender to a waiting import and keeps the others", async () => {
  const { open, slow, requests } = await serveFull();
  const answers = slow.map((sent) => answerOf(sent));
  const quick = open();
  const quickAnswer = answerOf(quick);
  quick.end(line("2"));
  await until(() => requests() === PLACES + 1);
  const [slowest, ...others] = slow;
  if (slowest === undefined) throw new Error("There must be eight imports.");
  await send(others, 2000, 2000);
  expect(await quickAnswer).toMatchObject({ status: 200, body: { spans: 1 } });
  expect(await answers[0]).toMatchObject({
    status: 408,
    body: { error: { code: "request_timeout", details: { spans: 1, min_bytes_per_second: 65_536 } } },
  });
  for (const sent of others) sent.end();
  for (const answer of answers.slice(1)) expect(await answer).toMatchObject({ status: 200 });
});

it("keeps slow senders while no import waits", async () => {
  const { slow } = await serveFull();
  const answers = slow.map((sent) => answerOf(sent));
  await vi.advanceTimersByTimeAsync(10_000);
  for (const sent of slow) sent.end();
  for (const answer of answers) expect(await answer).toMatchObject({ status: 200 });
});

it("refuses an import with Retry-After if no slot is free within five seconds", async () => {
  let resume: (() => void) | undefined;
  const held = new Promise<void>((resolve) => (resume = resolve));
  let begun = 0;
  const { open, requests } = await serveImports({
    beginImport: importInto(async (_context, spans) => {
      begun++;
      await held;
      return spans.length;
    }),
  });
  const busy = Array.from({ length: PLACES }, () => open());
  const answers = busy.map((sent) => answerOf(sent));
  for (const sent of busy) sent.end(line("1"));
  await until(() => requests() === PLACES && begun > 0);
  const waiting = open();
  waiting.end(line("2"));
  await until(() => requests() === PLACES + 1);
  const answer = answerOf(waiting);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await answer).toMatchObject({
    status: 503,
    retryAfter: "2",
    body: { error: { code: "overloaded", details: { max_imports: PLACES } } },
  });
  resume?.();
  for (const answer of answers) expect(await answer).toMatchObject({ status: 200 });
});

it("reserves no slot for a client that disconnected while waiting", async () => {
  const { open, slow, requests, failures, pieces } = await serveFull();
  const left = open();
  left.end(line("2"));
  await until(() => requests() === PLACES + 1);
  left.destroy();
  await until(() => failures() === 1);
  const [first] = slow;
  first?.end();
  if (first !== undefined) await once(first, "response");
  const next = open();
  next.end(line("3"));
  expect(await answerOf(next)).toMatchObject({ status: 200 });
  expect(pieces.length).toBe(PLACES + 1);
});
