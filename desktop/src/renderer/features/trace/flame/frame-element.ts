import type { FlameFrame } from "@obspan/collector-core/analysis";
import { encodeComponent } from "../../../api/url-component.js";

/** Height of a row with its gap, in pixels. */
export const ROW = 29;

/** Element id of a frame; the tree refers to its active frame by it. */
export function frameElementId({ key }: FlameFrame): string {
  return `frame-${encodeComponent(key)}`;
}
