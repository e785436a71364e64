import { durationParts } from "../format.js";
import textStyles from "./text.module.css";

/** A duration whose units are smaller than its numbers. */
export function DurationParts({ ms }: { readonly ms: number }) {
  const [first, second] = durationParts(ms);
  return (
    <>
      {first.value}
      <span className={textStyles.unit}> {first.unit}</span>
      {second !== undefined && (
        <>
          {" "}
          {second.value}
          <span className={textStyles.unit}> {second.unit}</span>
        </>
      )}
    </>
  );
}
