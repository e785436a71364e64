import { isInModelSpan, isRecording } from "../../capture/integration.js";
import { field, fieldsOf, member, numberOf, parseJsonOrText, textOf } from "../json-fields.js";
import type { ClientLibrary, ModelClientOptions } from "../model-client/client-library.js";
import { followStream, isAsyncIterable } from "../model-client/follow-stream.js";
import { ModelCall } from "../model-client/model-call.js";
import type { ModelOperation } from "../model-client/operation.js";
import { ignoringErrors } from "../model-client/replace-method.js";
import { describeStatusError, isAbortError } from "../model-client/status-error.js";
import { bedrockConverse } from "../wire/bedrock-converse.js";
import { withHeaderCounts } from "../wire/bedrock-metrics.js";

/** Arguments of a middleware of the AWS SDK. */
interface HandlerArguments {
  readonly input: unknown;
}

type Handler = (args: HandlerArguments) => Promise<unknown>;

/** A middleware of the AWS SDK. */
export type Middleware = (next: Handler, context: { readonly commandName?: unknown }) => Handler;

/** Largest body of a request or response that is read, in bytes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

const REQUEST_ID = "x-amzn-requestid";

/** The client library. Its commands pass a middleware instead of being methods. */
export const BEDROCK: ClientLibrary = {
  wrapper: "wrapBedrock",
  expectedClient: "a client such as new BedrockRuntimeClient()",
  methods: [],
  providerOf: () => "bedrock",
  describeError: describeStatusError,
  isUserAbort: isAbortError,
  requestIdHeader: REQUEST_ID,
};

/** Records the commands that call a model. The other commands pass unchanged. */
export function createMiddleware(client: object, options: ModelClientOptions): Middleware {
  return (next, { commandName }) =>
    async (args) => {
      if (!isRecording()) return await next(args);
      const call = await startCall(client, options, commandName, args.input);
      if (call === undefined) return await next(args);
      let result: unknown;
      try {
        result = await call.run(() => next(args));
      } catch (error) {
        ignoringErrors(() => recordMetadata(call, error));
        call.fail(error);
        throw error;
      }
      try {
        followResult(call, result);
      } catch {
        // A result that cannot be followed, such as a frozen one.
        call.endUnread();
      }
      return result;
    };
}

/** Returns undefined if the command is not recorded. */
async function startCall(
  client: object,
  options: ModelClientOptions,
  commandName: unknown,
  input: unknown,
): Promise<ModelCall | undefined> {
  try {
    // Asks where the span starts: between the two, nothing may run.
    const start = (operation: ModelOperation, request: unknown, isStream: boolean): ModelCall | undefined =>
      isInModelSpan()
        ? undefined
        : new ModelCall({ client, library: BEDROCK, operation, options }, request, isStream);
    switch (commandName) {
      case "ConverseCommand":
      case "ConverseStreamCommand":
        return start(bedrockConverse, input, commandName === "ConverseStreamCommand");
      case "InvokeModelCommand":
      case "InvokeModelWithResponseStreamCommand": {
        // Loads with the first of these commands: each vendor has bodies of its own.
        const { bedrockInvoke } = await import("../wire/bedrock-invoke.js");
        const request = { ...fieldsOf(bodyOf(field(input, "body"))), modelId: field(input, "modelId") };
        return start(bedrockInvoke(request), request, commandName !== "InvokeModelCommand");
      }
      default:
        return undefined;
    }
  } catch {
    // Recording must not disturb the app.
    return undefined;
  }
}

/** The JSON of a body that is a text or bytes. */
function bodyOf(body: unknown): unknown {
  const size = numberOf(member(body, "byteLength")) ?? textOf(body)?.length ?? 0;
  if (size > MAX_BODY_BYTES) return undefined;
  if (body instanceof Uint8Array || body instanceof ArrayBuffer)
    return parseJsonOrText(new TextDecoder().decode(body));
  return typeof body === "string" ? parseJsonOrText(body) : undefined;
}

/** Ends the call with the response, or with its stream. */
function followResult(call: ModelCall, result: unknown): void {
  const output = field(result, "output");
  recordMetadata(call, output);
  for (const key of ["stream", "body"]) {
    const stream = field(output, key);
    if (!isAsyncIterable(stream) || ArrayBuffer.isView(stream)) continue;
    const followed = followStream(stream, undefined, call, { endsSilently: true });
    (output as Record<string, unknown>)[key] = followed;
    return;
  }
  const body = field(output, "body");
  const headers = field(field(result, "response"), "headers");
  // If the app aborts while the body arrives, the client returns an empty response.
  const answer = body === undefined ? field(output, "output") : member(body, "byteLength");
  if (answer === undefined || answer === 0) {
    call.abort();
    return;
  }
  call.succeed(() =>
    body === undefined ? output : withHeaderCounts(bodyOf(body), (name) => field(headers, name)),
  );
}

/** Records the attempts and the id of the request from the metadata of a response or an error. */
function recordMetadata(call: ModelCall, output: unknown): void {
  const metadata = field(output, "$metadata");
  call.recordAttempt((numberOf(field(metadata, "attempts")) ?? 1) - 1);
  const requestId = textOf(field(metadata, "requestId"));
  call.recordHttpResponse({
    status: field(metadata, "httpStatusCode"),
    headers: new Headers(requestId === undefined ? {} : { [REQUEST_ID]: requestId }),
  });
}
