import { describe, expect, it } from "vitest";
import { parseResponse } from "../../src/export/http-response.js";

const complete = { isComplete: true, isReusable: true };
const closing = { isComplete: true, isReusable: false };
const partial = { isComplete: false, isReusable: false };

describe("parseResponse() reads the received part of a response", () => {
  it.each([
    ["no bytes", "", undefined],
    ["the beginning of a status line", "HTTP/1", undefined],
    ["an incomplete head", "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n", undefined],
    [
      "a complete body with its length",
      "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}",
      { status: 202, ...complete },
    ],
    [
      "a partial body with its length",
      "HTTP/1.1 202 Accepted\r\ncontent-length:2\r\n\r\n{",
      { status: 202, ...partial },
    ],
    [
      "a body that is longer than its length",
      "HTTP/1.1 202 OK\r\nContent-Length: 1\r\n\r\n{}",
      { status: 202, ...closing },
    ],
    ["a status without a body", "HTTP/1.1 204 No Content\r\n\r\n", { status: 204, ...complete }],
    [
      "complete chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      { status: 200, ...complete },
    ],
    [
      "an empty chunked body",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      { status: 200, ...complete },
    ],
    [
      "chunks without the last chunk",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
      { status: 200, ...partial },
    ],
    ["a body that ends with the connection", "HTTP/1.1 200 OK\r\n\r\nHello", { status: 200, ...closing }],
    [
      "a status without a reason phrase",
      "HTTP/1.1 202\r\nContent-Length: 0\r\n\r\n",
      { status: 202, ...complete },
    ],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", { status: 200, ...closing }],
    [
      "a server that closes the connection",
      "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n",
      { status: 200, ...closing },
    ],
    [
      "100 Continue and then the response",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 OK\r\nContent-Length: 0\r\n\r\n",
      { status: 202, ...complete },
    ],
    ["only 100 Continue", "HTTP/1.1 100 Continue\r\n\r\n", undefined],
    ["100 Continue and the start of the response", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 20", undefined],
    ["100 Continue and another protocol", "HTTP/1.1 100 Continue\r\n\r\nSSH-2.0", "not HTTP"],
    ["a flood of 100 Continue", "HTTP/1.1 100 Continue\r\n\r\n".repeat(50_000), "not HTTP"],
    [
      "a body that exceeds the limit",
      `HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(70_000)}`,
      { status: 200, ...closing },
    ],
    [
      "the headers Retry-After and Location",
      "HTTP/1.1 429 Slow\r\nRETRY-AFTER:  7 \r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
      { status: 429, retryAfter: "7", location: "/x", ...complete },
    ],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n", "not HTTP"],
    ["an invalid status", "HTTP/1.1 OK\r\n\r\n", "not HTTP"],
    ["a head that exceeds the limit", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}`, "not HTTP"],
  ])("%s", (_, received, expected) => {
    const response = parseResponse(received);
    if (typeof expected === "object") expect(response).toMatchObject(expected);
    else expect(response).toBe(expected);
  });
});
