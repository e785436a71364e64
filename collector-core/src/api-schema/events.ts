import { Type, type Static } from "typebox";

const Times = {
  time: Type.String({ description: "RFC 3339: the last occurrence." }),
  first_time: Type.String({ description: "RFC 3339: the first occurrence." }),
  count: Type.Integer({ description: "Occurrences between the two." }),
};

/** A rejected request, without its body. */
export const RefusedRequestSchema = Type.Object(
  {
    ...Times,
    method: Type.String(),
    path: Type.String({ description: "The path without the query; at most 128 characters." }),
    status: Type.Integer(),
    code: Type.String({ description: "Code of the error." }),
    message: Type.String({ description: "Message of the error." }),
    client: Type.String({ description: "Address of the peer." }),
    user_agent: Type.String({ description: "User-Agent header; at most 128 characters." }),
  },
  { $id: "RefusedRequest" },
);
export type RefusedRequest = Static<typeof RefusedRequestSchema>;

/** A log line of level WARNING or above. */
export const WarningSchema = Type.Object(
  {
    ...Times,
    level: Type.String({ description: "`WARNING`, `ERROR` or `CRITICAL`." }),
    logger: Type.String({ description: "Part of the collector that logged the line, such as `export`." }),
    message: Type.String(),
  },
  { $id: "Warning" },
);
export type Warning = Static<typeof WarningSchema>;

/** The response of `GET /v1/events` (contract 3), newest first. */
export const EventsSchema = Type.Object(
  {
    refused: Type.Array(RefusedRequestSchema, {
      description: "The last 100 rejected requests; equal ones are merged.",
    }),
    warnings: Type.Array(WarningSchema, { description: "The last 200 warnings; equal ones are merged." }),
  },
  { $id: "Events" },
);
export type Events = Static<typeof EventsSchema>;
