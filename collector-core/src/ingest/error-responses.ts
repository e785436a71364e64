import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError, internalError, invalidQuery, quoteValue } from "../api-schema/errors.js";
import { RequestAborted } from "../runtime/request-aborted.js";
import { isRecord } from "../span/span-facts.js";

/** Gives every error of Fastify the shape of contract 2. */
export function handleErrors(
  app: FastifyInstance,
  onError: (route: string, error: unknown) => void,
  onErrorResponse: (request: FastifyRequest, error: ApiError) => void,
): void {
  app.setNotFoundHandler(() => {
    throw new ApiError("not_found", "No such path. GET /openapi.json lists all paths.");
  });
  // A stream that fails after its first bytes has no error response: the connection is closed.
  app.addHook("onSend", async ({ routeOptions }, reply, payload) => {
    if (payload instanceof Readable)
      payload.once("error", (error) => {
        if (reply.raw.headersSent && isFault(error)) onError(routeOptions.url ?? "unknown", error);
      });
    return payload;
  });

  app.setErrorHandler(async (error, request, reply) => {
    if (error instanceof RequestAborted) return reply.hijack();
    const known = toApiError(error);
    if (known.code === "internal_error") onError(request.routeOptions.url ?? "unknown", error);
    onErrorResponse(request, known);
    return await reply.code(known.status).headers(known.headers).send(known.toBody());
  });
}

/** False for what a client causes, such as the deletion of the trace that another one reads. */
function isFault(error: Error): boolean {
  return !(error instanceof RequestAborted) && !(error instanceof ApiError && error.status < 500);
}

/** An error of Fastify's validator. */
interface ValidationIssue {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Record<string, unknown>;
  /** The invalid value. */
  readonly data?: unknown;
  /** The schema of the value. */
  readonly parentSchema?: Record<string, unknown>;
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isRecord(error) && Array.isArray(error["validation"])) {
    return queryError(error["validation"] as ValidationIssue[]);
  }
  const status = isRecord(error) ? error["statusCode"] : undefined;
  if (status === 415)
    return new ApiError("unsupported_media_type", "The path does not accept this Content-Type.");
  if (status === 416 && isRecord(error) && isRecord(error["headers"])) {
    const contentRange = error["headers"]["Content-Range"];
    if (typeof contentRange === "string") return unsatisfiableRange(contentRange);
  }
  if (status === 412)
    return new ApiError(
      "precondition_failed",
      "The file is not the one that the request has a condition on.",
    );
  if (status === 413) return new ApiError("body_too_large", "The body is too large for this path.");
  if (typeof status === "number" && status >= 400 && status < 500) {
    return new ApiError("invalid_query", "The URL or the body of the request is malformed.");
  }
  return internalError();
}

/** @param contentRange - the header of the response: its last part is the size of the file. */
function unsatisfiableRange(contentRange: string): ApiError {
  const bytes = Number(contentRange.split("/")[1]);
  return new ApiError(
    "range_not_satisfiable",
    `The Range is not in the file, which has ${bytes} bytes.`,
    { bytes },
    { "Content-Range": contentRange },
  );
}

/** Joins all problems of a query in one sentence. A wrong `limit` alone has its own code. */
function queryError(issues: readonly ValidationIssue[]): ApiError {
  const limit = issues.every((issue) => issue.instancePath === "/limit") ? issues[0] : undefined;
  if (limit !== undefined) return new ApiError("invalid_limit", `${numberProblem(limit)}.`, { max: 1000 });
  const sentences = issues.flatMap((issue) => {
    const name = issue.instancePath.slice(1);
    const unknown = issue.params["additionalProperty"];
    if (typeof unknown === "string") return `unknown parameter ${quoteValue(unknown)}`;
    const range = numberProblem(issue);
    if (range !== undefined) return range;
    if (issue.keyword === "minLength") return `${name} must not be empty`;
    const allowed = allowedValues(issues.filter(({ instancePath }) => instancePath === issue.instancePath));
    if (allowed.length > 0) return `${name} must be ${oneOf(allowed)}, not ${quoteValue(issue.data)}`;
    const problem = issue.message ?? "is invalid";
    return name === "" ? `the query ${problem}` : `${name} ${problem}, not ${quoteValue(issue.data)}`;
  });
  return invalidQuery([...new Set(sentences)].join("; "));
}

/** What a number must be, with its range; undefined for other types. */
function numberProblem({ instancePath, data, parentSchema = {} }: ValidationIssue): string | undefined {
  const { type, minimum, maximum } = parentSchema;
  if (type !== "integer" && type !== "number") return undefined;
  const kind = type === "integer" ? "a whole number" : "a number";
  return `${instancePath.slice(1)} must be ${kind} from ${String(minimum)} to ${String(maximum)}, not ${quoteValue(data)}`;
}

/** Returns the allowed values of an enumeration, or an empty list for other types. */
function allowedValues(issues: readonly ValidationIssue[]): string[] {
  return issues
    .flatMap(({ keyword, params }): unknown[] => {
      const values = keyword === "const" ? [params["allowedValue"]] : params["allowedValues"];
      return Array.isArray(values) ? values : [];
    })
    .map(String);
}

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}
