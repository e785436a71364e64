import { classNames } from "../../components/class-names.js";
import { DurationParts } from "../../components/duration-parts.js";
import textStyles from "../../components/text.module.css";

/** A duration among other figures. */
export function Figure({ ms, className }: { ms: number; className?: string | undefined }) {
  return (
    <span className={classNames(textStyles.number, className)}>
      <DurationParts ms={ms} />
    </span>
  );
}
