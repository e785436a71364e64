import { expect } from "vitest";
import { rawRequest, sendRequest, sendRequests } from "../../harness/raw-requests.js";
import type { Abuse } from "./abuse.js";

/** Exports and imports of the whole store. */
export const BULK_ABUSES: readonly Abuse[] = [
  {
    name: "8 exports at once",
    prepare:
      ({ port, size, note }) =>
      async () => {
        const exports = Array.from({ length: size(8, 16) }, () => rawRequest({ path: "/v1/export" }));
        const responses = await sendRequests(port, exports, 8);
        note(responses);
        expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
      },
  },
  {
    name: "two imports of 300 MB at once",
    async prepare({ collector, port, size, note }) {
      const file = Buffer.from(await (await fetch(`${collector.url}/v1/export`)).arrayBuffer());
      const copies = Math.ceil((size(4, 300) * 1_000_000) / file.length);
      const body = Array.from({ length: copies }, () => file);
      const request = rawRequest({
        path: "/v1/import",
        headers: { "Content-Type": "application/jsonl" },
        body,
      });
      return async () => {
        const responses = await Promise.all([1, 2].map(() => sendRequest(port, request, 200_000)));
        note(responses);
        expect(responses.map(({ status }) => status)).toEqual([200, 200]);
      };
    },
  },
  {
    name: "imports of lines that have white space only",
    prepare: ({ port, size, note }) => {
      const bytes = size(4, 60) * 1_000_000;
      // The last one is one line, which may not be as long.
      const bodies = ["\r\n", `${" ".repeat(30)}\n`, "\n"].map((line) => Buffer.alloc(bytes, line));
      bodies.push(Buffer.alloc(size(4, 30) * 1_000_000, " "));
      const requests = bodies.map((body) =>
        rawRequest({
          path: "/v1/import",
          headers: { "Content-Type": "application/jsonl" },
          body: [body],
        }),
      );
      return async () => {
        const responses = await sendRequests(port, requests, 2);
        note(responses);
        expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      };
    },
  },
];
