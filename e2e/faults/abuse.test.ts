import { it } from "vitest";
import { BULK_ABUSES } from "./abuse/bulk-abuses.js";
import { QUESTION_ABUSES } from "./abuse/question-abuses.js";
import { runAbuse } from "./abuse/run-abuse.js";

const ABUSES = [...QUESTION_ABUSES, ...BULK_ABUSES];

for (const abuse of ABUSES)
  it(
    `reliability.md 19: it lives and answers /health beside ${abuse.name}`,
    { timeout: 400_000 },
    async () => {
      await runAbuse(abuse);
    },
  );
