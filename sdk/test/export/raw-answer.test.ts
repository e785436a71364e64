import { describe, expect, it } from "vitest";
import { readAnswer } from "../../src/export/raw-answer.js";

const whole = { isWhole: true, isReusable: true };
const closing = { isWhole: true, isReusable: false };
const partial = { isWhole: false, isReusable: false };

describe("an answer, as much of it as has come", () => {
  it.each([
    ["nothing yet", "", undefined],
    ["the beginning of a status line", "HTTP/1", undefined],
    ["a head without its end", "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n", undefined],
    [
      "a length that is there",
      "HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}",
      { status: 202, ...whole },
    ],
    [
      "a length that is not there yet",
      "HTTP/1.1 202 Accepted\r\ncontent-length:2\r\n\r\n{",
      { status: 202, ...partial },
    ],
    ["more than its length", "HTTP/1.1 202 OK\r\nContent-Length: 1\r\n\r\n{}", { status: 202, ...closing }],
    ["no body by its status", "HTTP/1.1 204 No Content\r\n\r\n", { status: 204, ...whole }],
    [
      "chunks with their end",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      { status: 200, ...whole },
    ],
    [
      "an empty body in chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      { status: 200, ...whole },
    ],
    [
      "chunks without their end",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
      { status: 200, ...partial },
    ],
    ["a body that ends with the connection", "HTTP/1.1 200 OK\r\n\r\nHello", { status: 200, ...closing }],
    ["a status without words", "HTTP/1.1 202\r\nContent-Length: 0\r\n\r\n", { status: 202, ...whole }],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", { status: 200, ...closing }],
    [
      "a server that closes",
      "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n",
      { status: 200, ...closing },
    ],
    [
      "100 Continue first",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 OK\r\nContent-Length: 0\r\n\r\n",
      { status: 202, ...whole },
    ],
    ["100 Continue alone", "HTTP/1.1 100 Continue\r\n\r\n", undefined],
    [
      "a body without end",
      `HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(70_000)}`,
      { status: 200, ...closing },
    ],
    [
      "headers of use",
      "HTTP/1.1 429 Slow\r\nRETRY-AFTER:  7 \r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
      { status: 429, retryAfter: "7", location: "/x", ...whole },
    ],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n", "not HTTP"],
    ["a status that is none", "HTTP/1.1 OK\r\n\r\n", "not HTTP"],
    ["a head without end", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}`, "not HTTP"],
  ])("%s", (_, received, expected) => {
    const answer = readAnswer(received);
    if (typeof expected === "object") expect(answer).toMatchObject(expected);
    else expect(answer).toBe(expected);
  });
});
