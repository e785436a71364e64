import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { createOpenEndedLimit } from "../../src/ingest/open-ended-limit.js";

const createResponse = (): ServerResponse => new EventEmitter() as unknown as ServerResponse;
const create = () =>
  createOpenEndedLimit({ max: 4, maxPerAddress: 2, isExempt: (address) => address === "127.0.0.1" });

it("leaves the rest to other addresses when one has its share", () => {
  const limit = create();
  const first = createResponse();
  limit.admit(first, "10.0.0.1");
  limit.admit(createResponse(), "10.0.0.1");
  expect(() => limit.admit(createResponse(), "10.0.0.1")).toThrow("2 clients of this address");
  limit.admit(createResponse(), "10.0.0.2");
  first.emit("close");
  limit.admit(createResponse(), "10.0.0.1");
});

it("refuses a response beyond the limit of all, unless another ends", () => {
  const limit = create();
  for (let count = 0; count < 4; count++) limit.admit(createResponse(), "127.0.0.1");
  expect(() => limit.admit(createResponse(), "10.0.0.1")).toThrow("4 clients read");
  expect(() => limit.admit(createResponse(), "10.0.0.1", () => false)).toThrow("4 clients read");
  limit.admit(createResponse(), "10.0.0.1", () => true);
});
