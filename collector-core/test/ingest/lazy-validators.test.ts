import { describe, expect, it } from "vitest";
import { lazyValidators } from "../../src/ingest/lazy-validators.js";
import { everLater } from "../runtime/loop-turns.js";

type Validate = (data: unknown) => unknown;
type Build = (externalSchemas: object) => (route: { schema: object; httpPart: string }) => Validate;

describe("validators that are made when a route is first asked", () => {
  it("let the questions that have waited for them go on one in each turn of the event loop", async () => {
    const build = lazyValidators(everLater()) as unknown as Build;
    const validate = build({})({ schema: { type: "object", properties: {} }, httpPart: "params" });
    let turn = 0;
    let next = setImmediate(count);
    function count(): void {
      turn++;
      next = setImmediate(count);
    }
    const wentOn = await Promise.all(
      Array.from({ length: 20 }, async () => {
        await validate({});
        return turn;
      }),
    );
    clearImmediate(next);
    expect(new Set(wentOn).size).toBe(20);
  });
});
