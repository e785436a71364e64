import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { createExemptRequests } from "../../src/ingest/exempt-requests.js";

const overdue = Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });

class FakeSocket extends EventEmitter {
  timeout = 20_000;

  setTimeout(ms: number): void {
    this.timeout = ms;
  }
}

it("restores the idle timeout of a connection after the last of several pipelined requests", () => {
  const pace = createExemptRequests();
  const socket = new FakeSocket();
  const requests = [1, 2].map(() => ({ socket, complete: true }) as unknown as IncomingMessage);
  for (const request of requests) pace.begin(request);
  const [first, second] = requests;
  if (first === undefined || second === undefined) throw new Error("There are two.");
  pace.end(first);
  expect(socket.timeout).toBe(0);
  expect(pace.isExempt(overdue, second.socket)).toBe(true);
  pace.end(second);
  expect(socket.timeout).toBe(20_000);
  expect(pace.isExempt(overdue, second.socket)).toBe(false);
});
