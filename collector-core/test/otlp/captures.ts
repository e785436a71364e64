import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Span } from "@obspan/sdk/wire";
import { readJsonRequest } from "../../src/otlp/read-json.js";
import { readProtobufRequest } from "../../src/otlp/read-protobuf.js";
import { spansFromOtlp } from "../../src/otlp/spans-from-otlp.js";

const DIRECTORY = join(import.meta.dirname, "../fixtures/otlp");

/** What a capture must say: see the README beside the captures. */
export interface Capture {
  readonly name: string;
  readonly files: readonly { readonly file: string; readonly content_type: string }[];
  readonly expected: {
    readonly spans: number;
    readonly trace_ids: readonly string[];
    readonly error_spans: number;
    readonly models: readonly string[];
    readonly tokens_input_total: number;
    readonly tokens_input_total_including_cache: number;
    readonly tokens_cached_total: number;
    readonly leaf_inference_spans: number;
  };
  readonly observed_in_spans: {
    readonly tokens_input_leaf: number;
    readonly tokens_output_leaf: number;
  };
  readonly spans: readonly {
    readonly span_id: string;
    readonly leaf_inference: boolean;
    readonly status: number;
  }[];
}

/** Every capture, in the encodings that its library has. */
export const captures: readonly Capture[] = readdirSync(DIRECTORY)
  .filter((file) => file.endsWith(".meta.json"))
  .map((file) => JSON.parse(readFileSync(join(DIRECTORY, file), "utf8")) as Capture);

export type Encoding = "application/json" | "application/x-protobuf";

/** The bodies of a capture's requests in order of arrival; none where the library does not have the encoding. */
export function bodiesOf({ files }: Capture, encoding: Encoding): Buffer[] {
  return files
    .filter(({ content_type: type }) => type === encoding)
    .map(({ file }) => readFileSync(join(DIRECTORY, file)));
}

/** The captures that have an encoding, with their requests. */
export function capturesIn(encoding: Encoding): { capture: Capture; bodies: Buffer[] }[] {
  return captures
    .map((capture) => ({ capture, bodies: bodiesOf(capture, encoding) }))
    .filter(({ bodies }) => bodies.length > 0);
}

/** The spans that a request becomes. */
export function mapBody(body: Buffer, encoding: Encoding): Span[] {
  const request =
    encoding === "application/json"
      ? readJsonRequest(JSON.parse(body.toString("utf8")))
      : readProtobufRequest(body);
  return spansFromOtlp(request).applications.flatMap(({ spans }) => spans);
}

/** All input tokens that a capture's spans tell of: where the sender leaves cached ones out, those are added. */
export function inputTokensOf({ name, expected, observed_in_spans: observed }: Capture): number {
  const leavesCacheOut = /^(?:aisdk5-anthropic|traceloop-anthropic|langfuse-openai-stream)/.test(name);
  return leavesCacheOut ? expected.tokens_input_total_including_cache : observed.tokens_input_leaf;
}
