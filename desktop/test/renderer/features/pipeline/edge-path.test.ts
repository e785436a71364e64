import { describe, expect, it } from "vitest";
import { edgePath } from "../../../../src/renderer/features/pipeline/edge-path.js";

describe("the way between two stages", () => {
  const box = (left: number, top: number) => ({ left, top, width: 100, height: 60 });

  it("is straight between stages beside or below each other", () => {
    expect(edgePath(box(0, 0), box(200, 0)).path).toBe("M100 18H200");
    expect(edgePath(box(0, 0), box(0, 100)).path).toBe("M50 60V100");
  });

  it("runs around the stages of a row to one below and to the left", () => {
    const { path, label } = edgePath(box(400, 0), box(0, 200));
    // Out to the right at 512, back at 172 above the next row, down at the middle of the stage.
    expect(path).toBe("M500 18H504Q512 18 512 26V164Q512 172 504 172H58Q50 172 50 180V200");
    expect(label).toEqual({ x: 76, y: 180 });
  });

  it("is a curve if one is higher", () => {
    expect(edgePath(box(0, 100), box(200, 0)).path).toBe("M100 118C150 118 150 18 200 18");
  });
});
