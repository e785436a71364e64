import Type, { type Static } from "typebox";

const Times = {
  time: Type.String({ description: "RFC 3339: the last time." }),
  first_time: Type.String({ description: "RFC 3339: the first time." }),
  count: Type.Integer({ description: "How often the very same was seen between the two." }),
};

/** A request that was refused; never its body. */
export const RefusedRequestSchema = Type.Object(
  {
    ...Times,
    method: Type.String(),
    path: Type.String({ description: "As asked for, without the query; at most 128 characters." }),
    status: Type.Integer(),
    code: Type.String({ description: "Of the error that was answered." }),
    message: Type.String({ description: "The answer's." }),
    client: Type.String({ description: "Address of the peer." }),
    user_agent: Type.String({ description: "What the sender calls itself; at most 128 characters." }),
  },
  { $id: "RefusedRequest" },
);
export type RefusedRequest = Static<typeof RefusedRequestSchema>;

/** A line of the log of level WARNING or above. */
export const WarningSchema = Type.Object(
  {
    ...Times,
    level: Type.String({ description: "`WARNING`, `ERROR` or `CRITICAL`." }),
    logger: Type.String({ description: "The part of the collector that logged it, such as `export`." }),
    message: Type.String(),
  },
  { $id: "Warning" },
);
export type Warning = Static<typeof WarningSchema>;

/** The answer of `GET /v1/events` (contract 3): newest first. */
export const EventsSchema = Type.Object(
  {
    refused: Type.Array(RefusedRequestSchema, { description: "The last 100; equal ones are one." }),
    warnings: Type.Array(WarningSchema, { description: "The last 200; equal ones are one." }),
  },
  { $id: "Events" },
);
export type Events = Static<typeof EventsSchema>;
