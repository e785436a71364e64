/**
 * The ceiling: the least that a server in Node can do with a batch. It collects the body, parses it and answers 202. For
 * OTLP it decodes the protobuf and answers 200. The ratio in the report is the cost that the collector adds.
 * Arguments: the port and the decoder: the collector's `reader`, or the messages of the `library`.
 */
import { createServer } from "node:http";
import { fromBinary } from "@bufbuild/protobuf";
import { ExportTraceServiceRequestSchema } from "../../collector-core/dist/otlp/proto/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import { readProtobufRequest } from "../../collector-core/dist/otlp/read-protobuf.js";

const [, , port, decoder] = process.argv;
const decode =
  decoder === "library" ? (body) => fromBinary(ExportTraceServiceRequestSchema, body) : readProtobufRequest;

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify(process.cpuUsage()));
    return;
  }
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (request.url === "/v1/traces") {
      decode(Buffer.concat(chunks));
      response.writeHead(200, { "Content-Type": "application/x-protobuf", "Content-Length": 0 });
      response.end();
      return;
    }
    const { spans } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const answer = `{"status":"accepted","spans_received":${spans.length}}`;
    response.writeHead(202, { "Content-Type": "application/json", "Content-Length": answer.length });
    response.end(answer);
  });
});
server.listen(Number(port), "127.0.0.1");
