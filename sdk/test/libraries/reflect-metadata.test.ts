import "reflect-metadata";
import { expect, it } from "vitest";
import { observe, tool } from "../../src/index.js";

it("a decorated method keeps what other decorators set in reflect-metadata", () => {
  const find = (): string => "found";
  Reflect.defineMetadata("path", "/orders", find);
  Reflect.defineMetadata("method", 0, find);
  for (const wrapped of [tool(find), observe(find)]) {
    expect(Reflect.getMetadata("path", wrapped)).toBe("/orders");
    expect(Reflect.getOwnMetadataKeys(wrapped)).toEqual(["path", "method"]);
  }
});
