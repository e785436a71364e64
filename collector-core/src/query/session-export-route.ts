import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply } from "fastify";
import { Type, type Static } from "typebox";
import { readTurnInSteps } from "../analysis/session/turn-reading.js";
import { transcriptInSteps } from "../analysis/transcript/transcript.js";
import type { SessionKey, SessionTraces, TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { runInSlices } from "../runtime/steps.js";
import { TimeSlice } from "../runtime/time-slice.js";
import type { SharedSession, SharedTurn, TextChange } from "../share/session-facts.js";
import { readSharedTrace, type SharedTraceRedactor } from "../share/shared-trace.js";
import { continued } from "./continued.js";
import { errorResponses } from "./error-schemas.js";
import { findSessionKey } from "./find-trace-key.js";
import { keyOf, keyPages, sessionPages } from "./session-pages.js";
import { sessionNotFound } from "./sessions-routes.js";
import { joinInSlices, sendSharedFile, SHARED_FILE, shareQuery } from "./share-route.js";
import type { SharedFiles } from "./shared-files.js";
import { eachTrace, linesOfTraces, untilDeleted } from "./trace-lines.js";
import { requiredStore, whileAnswering } from "./trace-requests.js";
import { withWorstScores, type ScoreScale } from "./worst-scores.js";

/** Options of {@link sessionExportRoute}. */
export interface SessionExportRouteOptions {
  /** Undefined if `trace_store.enabled` is false. */
  readonly store: TraceStore | undefined;
  readonly scores: ScoreScale;
  /** Version of the collector, written to the file. */
  readonly version: string;
  readonly clock: Pick<Clock, "monotonic">;
  readonly files: SharedFiles;
}

/** Bytes of the spans that a file is made of, over all turns. */
const MAX_READ_BYTES = 32 * 2 ** 20;
/** Bytes of the spans of one turn: they are in memory at a time. */
const MAX_TURN_BYTES = 8 * 2 ** 20;
/** How long turns are read for a file: others wait for it. The last turn is in it, however long it takes. */
const MAX_READ_MS = 8000;
/** Bytes of a Markdown file. The last turn is in it, however long it is. */
const MAX_MARKDOWN_BYTES = 4 * 2 ** 20;
/** Bytes of an HTML file, which has the steps of each turn too. */
const MAX_HTML_BYTES = 8 * 2 ** 20;

/** How a file is laid out. */
interface Layout {
  readonly maxBytes: number;
  /** Whether its texts are redacted where they are in spans. Otherwise those that it shows are, which are few. */
  readonly redactsSpans: boolean;
  head(session: SharedSession): string;
  turn(turn: SharedTurn): Buffer | Promise<Buffer>;
  readonly end: string;
}

/** Loaded on first use, like everything that few requests need. */
const LAYOUTS: Readonly<
  Record<
    "markdown" | "html",
    (redactor: SharedTraceRedactor | undefined, timeSlice: TimeSlice) => Promise<Layout>
  >
> = {
  async markdown(redactor) {
    const { sessionMarkdown, turnMarkdown } = await import("../share/session-markdown.js");
    const change = textChange(redactor);
    return {
      maxBytes: MAX_MARKDOWN_BYTES,
      redactsSpans: false,
      head: (session) => sessionMarkdown(session, change),
      turn: (turn) => Buffer.from(turnMarkdown(turn, change)),
      end: "",
    };
  },
  async html(redactor, timeSlice) {
    const { SESSION_END, sessionHtml, turnHtml } = await import("../share/html/session-html.js");
    return {
      maxBytes: MAX_HTML_BYTES,
      redactsSpans: true,
      head: (session) => sessionHtml(session, textChange(redactor)),
      turn: async (turn) => {
        const transcript = await runInSlices(transcriptInSteps(turn.reading.run), timeSlice);
        return await joinInSlices(turnHtml(turn, transcript), timeSlice);
      },
      end: SESSION_END,
    };
  },
};

function textChange(redactor: SharedTraceRedactor | undefined): TextChange {
  return redactor === undefined ? (text) => text : (text) => redactor.text(text);
}

const SessionId = { session_id: Type.String({ description: "The id as sent." }) };
const ExportQuery = shareQuery(
  {
    jsonl: "OTLP-JSON lines of all traces, as received, for `POST /v1/import`.",
    markdown: "the conversation, for a coding agent.",
    html: "the conversation and its steps, as one file that a browser opens without a network.",
  },
  "Tenant of the session, as for `GET /v1/sessions/{session_id}`.",
);
const Query = Type.Object(ExportQuery, { additionalProperties: false });
const ERRORS = errorResponses(
  "invalid_query",
  "invalid_tenant",
  "session_not_found",
  "trace_store_disabled",
  "overloaded",
  "ambiguous_session",
);

/** `GET /v1/sessions/{session_id}/export`, and the same with the id in the query: one session as a file (contract 9). */
export const sessionExportRoute: FastifyPluginAsyncTypebox<SessionExportRouteOptions> = async (
  app,
  { store, scores, version, clock, files },
) => {
  const schema = {
    ...SHARED_FILE,
    summary: "One session as a file to share",
    response: { ...SHARED_FILE.response, ...ERRORS },
  };

  async function send(
    sessionId: string,
    { format = "jsonl", raw, tenant }: Static<typeof Query>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const traces = requiredStore(store);
    const connected = whileAnswering(reply.raw);
    const key = await findSessionKey(traces, sessionId, tenant, connected);
    const redactor = format === "jsonl" || raw === "true" ? undefined : await files.redactor();
    const body =
      format === "jsonl"
        ? await lines(traces, key, connected)
        : await files.inTurn(() => document(traces, key, { format, redactor }, connected), connected);
    return await sendSharedFile(reply, { what: "session", id: sessionId, format, redactor }, body);
  }

  /** All traces of the session, the first one first. Holds one page of spans at a time. */
  async function lines(traces: TraceStore, key: SessionKey, connected: AbortSignal): Promise<Readable> {
    const rest = keyPages(sessionPages(traces, key, "oldest", connected));
    // Read before the headers are set: what fails gets an error response.
    const first = await rest.next();
    if (first.done === true) throw sessionNotFound(key.sessionId);
    const timeSlice = new TimeSlice(clock, connected);
    return Readable.from(linesOfTraces(traces, continued(first, rest), version, timeSlice, connected));
  }

  /** Lays out the last turns that fit, in slices. */
  async function document(
    traces: TraceStore,
    key: SessionKey,
    {
      format,
      redactor,
    }: { readonly format: "markdown" | "html"; readonly redactor: SharedTraceRedactor | undefined },
    connected: AbortSignal,
  ): Promise<Buffer> {
    const timeSlice = new TimeSlice(clock, connected);
    const layout = await LAYOUTS[format](redactor, timeSlice);
    let session: SessionTraces["session"] | undefined;
    // From the last one.
    const turns: Buffer[] = [];
    let bytes = 0;
    let cut = 0;
    let firstNumber = 1;
    const endsAtMs = clock.monotonic() + MAX_READ_MS;
    const reading = { redactor: layout.redactsSpans ? redactor : undefined, timeSlice };
    for await (const turn of turnsOf(traces, key, reading, connected, (found) => (session = found))) {
      const text = await layout.turn(turn);
      if (turns.length > 0 && bytes + text.length > layout.maxBytes) break;
      turns.push(text);
      bytes += text.length;
      firstNumber = turn.number;
      if (turn.trace.cut + turn.trace.leftOut > 0) cut++;
      if (clock.monotonic() >= endsAtMs) break;
    }
    if (session === undefined) throw sessionNotFound(key.sessionId);
    const shown = {
      session: withWorstScores(session, scores),
      isRedacted: redactor !== undefined,
      leftOut: firstNumber - 1,
      cut,
    };
    return Buffer.concat([Buffer.from(layout.head(shown)), ...turns.reverse(), Buffer.from(layout.end)]);
  }

  app.get(
    "/v1/sessions/:session_id/export",
    { schema: { ...schema, params: Type.Object(SessionId), querystring: Query } },
    async ({ params, query }, reply) => await send(params.session_id, query, reply),
  );
  app.get(
    "/v1/session-export",
    {
      schema: {
        ...schema,
        description: "The same, with the id as a query parameter. Required for the ids `.` and `..`.",
        querystring: Type.Object({ ...SessionId, ...ExportQuery }, { additionalProperties: false }),
      },
    },
    async ({ query }, reply) => await send(query.session_id, query, reply),
  );
};

/** The turns of a session from the last one, as many as may be read. One that is deleted meanwhile is left out. */
async function* turnsOf(
  traces: TraceStore,
  key: SessionKey,
  {
    redactor,
    timeSlice,
  }: { readonly redactor: SharedTraceRedactor | undefined; readonly timeSlice: TimeSlice },
  connected: AbortSignal,
  onSession: (session: SessionTraces["session"]) => void,
): AsyncGenerator<SharedTurn, void> {
  let left = MAX_READ_BYTES;
  let last: number | undefined;
  for await (const page of sessionPages(traces, key, "newest", connected)) {
    onSession(page.session);
    last ??= page.session.traces;
    const ids = page.traces.map(({ trace_id: id }) => id);
    for await (const trace of eachTrace(traces, page.traces.map(keyOf), connected))
      try {
        const maxBytes = Math.min(left, MAX_TURN_BYTES);
        const read = { summary: trace.summary, spans: untilDeleted(trace.spans) };
        const shared = await readSharedTrace(read, { redactor, timeSlice, maxBytes });
        if (shared.leftOut > 0 && maxBytes < MAX_TURN_BYTES) return;
        left -= shared.bytes;
        const reading = await runInSlices(readTurnInSteps(shared.spans), timeSlice);
        yield { number: last - ids.indexOf(trace.summary.trace_id), trace: shared, reading };
      } finally {
        trace.release();
      }
    last -= ids.length;
  }
}
