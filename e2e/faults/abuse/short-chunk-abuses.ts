import { expect } from "vitest";
import { rawRequest, sendRequests, type RawRequest } from "../../harness/raw-requests.js";
import type { Abuse } from "./abuse.js";

/** Bytes of one piece that is written to the socket, about the most that the collector reads at once. */
const PIECE_BYTES = 64 * 1024;

/** A batch that ends with spaces, in chunks of the given size. */
function inChunks(batch: string, chunkBytes: number, bodyBytes: number): RawRequest {
  const chunkOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  const chunk = chunkOf(" ".repeat(chunkBytes));
  const perPiece = Math.floor(PIECE_BYTES / chunk.length);
  const pieces = Math.max(1, Math.round(bodyBytes / chunkBytes / perPiece));
  const piece = Buffer.from(chunk.repeat(perPiece));
  const headers = { "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
  const { head } = rawRequest({ method: "POST", path: "/v1/telemetry", headers });
  // The head arrives with the first chunks: every connection has a full piece before the collector has seen one of it.
  return {
    head: Buffer.concat([head, Buffer.from(chunkOf(batch)), piece]),
    body: [...Array.from({ length: pieces - 1 }, () => piece), Buffer.from("0\r\n\r\n")],
  };
}

/** 150 connections that send bodies in chunks of one size, each the given number in turn. */
function chunkedBodies(chunkBytes: number, bodies: number, allowed: readonly number[]): Abuse {
  return {
    name: `150 connections that send bodies in chunks of ${chunkBytes} ${chunkBytes === 1 ? "byte" : "bytes"}`,
    prepare({ port, size, note }) {
      const connections = size(30, 150);
      const batch = JSON.stringify({ spans: [{ name: "a", trace_id: "in-chunks" }] });
      const request = inChunks(batch, chunkBytes, size(100_000, 300_000));
      return async () => {
        const requests = Array.from({ length: connections * bodies }, () => request);
        const responses = await sendRequests(port, requests, connections);
        note(responses);
        expect(responses.filter(({ status }) => !allowed.includes(status))).toEqual([]);
      };
    },
  };
}

/** 100 senders that open a connection for each block of chunks of one byte. A block has more of them than a body may have. */
function reopenedForChunks(): Abuse {
  return {
    name: "100 connections that are opened again and again to send chunks of one byte",
    prepare({ port, size, note }) {
      const connections = size(20, 100);
      const batch = JSON.stringify({ spans: [{ name: "a", trace_id: "in-chunks" }] });
      const { head } = inChunks(batch, 1, PIECE_BYTES / 6);
      return async () => {
        const requests = Array.from({ length: connections * size(2, 4) }, () => ({ head, body: [] }));
        const responses = await sendRequests(port, requests, connections);
        note(responses);
        expect(responses.filter(({ status }) => ![400, 408, 0].includes(status))).toEqual([]);
      };
    },
  };
}

/** 100 senders that open a connection for 1,500 requests, of which 16 are answered. */
function reopenedForRequests(): Abuse {
  return {
    name: "100 connections that are opened again and again to pipeline 1,500 requests",
    prepare({ port, size, note }) {
      const connections = size(20, 100);
      const { head } = rawRequest({ path: "/health", keepAlive: true });
      const many = Buffer.concat(Array.from({ length: 1500 }, () => head));
      return async () => {
        const requests = Array.from({ length: connections * size(2, 10) }, () => ({ head: many, body: [] }));
        const responses = await sendRequests(port, requests, connections);
        note(responses);
        expect(responses.filter(({ status }) => ![200, 0].includes(status))).toEqual([]);
      };
    },
  };
}

/** Bodies whose chunks, and requests whose heads, cost more than their content. */
export const SHORT_CHUNK_ABUSES: readonly Abuse[] = [
  chunkedBodies(17, 2, [202, 408, 503]),
  // The connection of a refused body may close before the response is read.
  chunkedBodies(1, 1, [400, 408, 0]),
  reopenedForChunks(),
  reopenedForRequests(),
];
