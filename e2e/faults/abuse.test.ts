import { it } from "vitest";
import { BULK_ABUSES } from "./abuse/bulk-abuses.js";
import { CONNECTION_ABUSES } from "./abuse/connection-abuses.js";
import { EVALUATION_ABUSES } from "./abuse/evaluation-abuses.js";
import { LARGE_VALUE_ABUSES } from "./abuse/large-value-abuses.js";
import { LIVE_ABUSES } from "./abuse/live-abuses.js";
import { PARSING_ABUSES } from "./abuse/parsing-abuses.js";
import { QUERY_ABUSES } from "./abuse/query-abuses.js";
import { runAbuse } from "./abuse/run-abuse.js";
import { SHORT_CHUNK_ABUSES } from "./abuse/short-chunk-abuses.js";

const ABUSES = [
  ...QUERY_ABUSES,
  ...BULK_ABUSES,
  ...LARGE_VALUE_ABUSES,
  ...PARSING_ABUSES,
  ...CONNECTION_ABUSES,
  ...LIVE_ABUSES,
  ...SHORT_CHUNK_ABUSES,
  ...EVALUATION_ABUSES,
];

for (const abuse of ABUSES)
  it(
    `reliability.md 19: survives and answers /health during abuse: ${abuse.name}`,
    { timeout: 400_000 },
    async () => {
      await runAbuse(abuse);
    },
  );
