import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { onTestFinished } from "vitest";
import {
  ExportTraceServiceRequestSchema,
  ExportTraceServiceResponseSchema,
  type ExportTraceServiceRequest,
} from "../../src/otlp/proto/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import type { AnyValue, KeyValue } from "../../src/otlp/proto/opentelemetry/proto/common/v1/common_pb.js";
import type { Span } from "../../src/otlp/proto/opentelemetry/proto/trace/v1/trace_pb.js";

/** A received request. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly message: ExportTraceServiceRequest;
  readonly spans: readonly Span[];
}

/** Writes the response to a request. */
export type Answer = (request: ReceivedRequest, response: ServerResponse) => void;

/** An OTLP receiver that speaks real HTTP. */
export interface OtlpReceiver {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** The spans of all requests. */
  spans(): Span[];
  /** Answers the following requests. */
  answer: Answer;
}

export const accept: Answer = (_request, response) => {
  response.writeHead(200, { "Content-Type": "application/x-protobuf" }).end();
};

/** Responds with a partial success that rejects some spans. */
export function acceptAllBut(rejectedSpans: number, errorMessage: string): Answer {
  const body = toBinary(
    ExportTraceServiceResponseSchema,
    create(ExportTraceServiceResponseSchema, {
      partialSuccess: { rejectedSpans: BigInt(rejectedSpans), errorMessage },
    }),
  );
  return (_request, response) =>
    void response.writeHead(200, { "Content-Type": "application/x-protobuf" }).end(body);
}

export async function startOtlpReceiver(answer: Answer = accept): Promise<OtlpReceiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const plain = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
      const message = fromBinary(ExportTraceServiceRequestSchema, plain);
      const spans = message.resourceSpans.flatMap((resource) =>
        resource.scopeSpans.flatMap((scope) => scope.spans),
      );
      const received = { path: request.url ?? "", headers: request.headers, message, spans };
      requests.push(received);
      receiver.answer(received, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () => requests.flatMap(({ spans }) => spans),
    answer,
  };
  return receiver;
}

/** Converts attributes to a plain object, with 64-bit integers as numbers. */
export function plainAttributes(attributes: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue(value: AnyValue | undefined): unknown {
  const inner = value?.value;
  if (inner === undefined) return undefined;
  if (inner.case === "intValue") return Number(inner.value);
  if (inner.case === "arrayValue") return inner.value.values.map(plainValue);
  if (inner.case === "kvlistValue") return plainAttributes(inner.value.values);
  return inner.value;
}
