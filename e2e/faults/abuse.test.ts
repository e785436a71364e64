import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, it } from "vitest";
import { abusedCollectors } from "./abuse/abused-collector.js";
import { BULK_ABUSES } from "./abuse/bulk-abuses.js";
import { COMPARE_ABUSES } from "./abuse/compare-abuses.js";
import { CONTEXT_ABUSES } from "./abuse/context-abuses.js";
import { CONNECTION_ABUSES } from "./abuse/connection-abuses.js";
import { deletionAbuses } from "./abuse/deletion-abuses.js";
import { EVALUATION_ABUSES } from "./abuse/evaluation-abuses.js";
import { LARGE_VALUE_ABUSES } from "./abuse/large-value-abuses.js";
import { LIVE_ABUSES } from "./abuse/live-abuses.js";
import { MCP_ABUSES } from "./abuse/mcp-abuses.js";
import { PARSING_ABUSES } from "./abuse/parsing-abuses.js";
import { QUERY_ABUSES } from "./abuse/query-abuses.js";
import { runAbuse } from "./abuse/run-abuse.js";
import { SESSION_ABUSES } from "./abuse/session-abuses.js";
import { SHORT_CHUNK_ABUSES } from "./abuse/short-chunk-abuses.js";

const directory = mkdtempSync(join(tmpdir(), "obspan-abuse-"));
// The last of these hooks: the collectors have stopped.
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const ABUSES = [
  ...QUERY_ABUSES,
  ...SESSION_ABUSES,
  ...COMPARE_ABUSES,
  ...CONTEXT_ABUSES,
  ...MCP_ABUSES,
  ...BULK_ABUSES,
  ...LARGE_VALUE_ABUSES,
  ...PARSING_ABUSES,
  ...CONNECTION_ABUSES,
  ...LIVE_ABUSES,
  ...SHORT_CHUNK_ABUSES,
  ...EVALUATION_ABUSES,
  ...deletionAbuses(directory),
];

const collectorFor = abusedCollectors(ABUSES);

for (const abuse of ABUSES)
  it(
    `reliability.md 19: survives and answers /health during abuse: ${abuse.name}`,
    { timeout: 400_000 },
    async () => {
      await runAbuse(abuse, await collectorFor(abuse));
    },
  );
