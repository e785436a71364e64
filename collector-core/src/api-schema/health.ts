import { Type } from "typebox";

const QueuePct = Type.Number({
  description: "Usage of the ingestion queue in percent, by spans or bytes, whichever is higher.",
});

/** `GET /health` (spec 4.5). */
export const HealthSchema = Type.Object({
  status: Type.Literal("ok"),
  version: Type.String(),
  uptime_seconds: Type.Number(),
});

/** `GET /ready`, status 200 (spec 4.6). */
export const ReadySchema = Type.Object({ status: Type.Literal("ready"), queue_pct: QueuePct });

/** `GET /ready`, status 503 (spec 4.6). */
export const NotReadySchema = Type.Object({
  status: Type.Literal("not_ready"),
  queue_pct: QueuePct,
  reasons: Type.Array(Type.String(), {
    description: "`queue_pct=<number>% >= hard_limit=<number>%`, `shutting_down`, `paused`.",
  }),
});
