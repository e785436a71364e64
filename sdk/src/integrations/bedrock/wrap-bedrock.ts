import { field } from "../json-fields.js";
import type { ModelClientOptions } from "../model-client/client-library.js";
import { ignoringErrors } from "../model-client/replace-method.js";
import { warnUnhooked } from "../model-client/warn-unhooked.js";
import { BEDROCK, createMiddleware, type Middleware } from "./middleware.js";

/** How the calls of a client are recorded. */
export interface WrapBedrockOptions extends ModelClientOptions {
  /** Provider, as the label `provider` shows it. Default: `bedrock`. */
  readonly provider?: string | undefined;
  /** Evaluation types of these calls. Default: the option `evaluationTypes`. */
  readonly evaluationTypes?: readonly string[] | undefined;
  /** Share of these calls to evaluate, 0 to 1. Default: the option `evaluationSampleRate`. */
  readonly evaluationSampleRate?: number | undefined;
}

/** The middleware stack of a client of the AWS SDK. */
interface MiddlewareStack {
  /** Throws if there is a middleware of that name. */
  add(middleware: Middleware, options: { step: string; priority: string; name: string }): void;
}

/**
 * Records every model call of an Amazon Bedrock client as a span: `Converse`, `ConverseStream`, `InvokeModel` and
 * `InvokeModelWithResponseStream`, with their streams, tools, tokens, attempts and errors. Calls behave as before: same promises,
 * same streams, same errors.
 *
 * The client gets a middleware and is returned. Wrapping it again has no effect. It works with `BedrockRuntimeClient` and
 * `BedrockRuntime` of `@aws-sdk/client-bedrock-runtime` 3, and imports neither.
 *
 * @param client - the client, for example `new BedrockRuntimeClient()`. Anything else causes one warning, and nothing is recorded.
 * @returns the same client.
 *
 * @example
 * ```ts
 * const bedrock = wrapBedrock(new BedrockRuntimeClient({ region: "eu-central-1" }));
 * ```
 */
export function wrapBedrock<Client extends object>(client: Client, options: WrapBedrockOptions = {}): Client {
  const stack = field(client, "middlewareStack");
  const service = field(field(client, "config"), "serviceId");
  if (typeof field(stack, "add") !== "function" || (service !== undefined && service !== "Bedrock Runtime")) {
    warnUnhooked(client, BEDROCK);
    return client;
  }
  ignoringErrors(() => {
    const place = { step: "initialize", priority: "high", name: "obspanModelSpan" };
    (stack as MiddlewareStack).add(createMiddleware(client, options), place);
    // The client caches its handlers, without the new middleware.
    Reflect.deleteProperty(client, "handlers");
  });
  return client;
}
