import { describe, expect, it } from "vitest";
import { lazyValidators } from "../../src/ingest/lazy-validators.js";
import { everLater } from "../runtime/loop-turns.js";

type Validate = (data: unknown) => unknown;
type Build = (externalSchemas: object) => (route: { schema: object; httpPart: string }) => Validate;

describe("lazyValidators", () => {
  it("resumes requests that waited for the compilation one per turn of the event loop", async () => {
    const build = lazyValidators(everLater()) as unknown as Build;
    const validate = build({})({ schema: { type: "object", properties: {} }, httpPart: "params" });
    let turn = 0;
    let next = setImmediate(count);
    function count(): void {
      turn++;
      next = setImmediate(count);
    }
    const resumedAt = await Promise.all(
      Array.from({ length: 20 }, async () => {
        await validate({});
        return turn;
      }),
    );
    clearImmediate(next);
    expect(new Set(resumedAt).size).toBe(20);
  });
});
