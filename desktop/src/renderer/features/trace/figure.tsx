import { formatDuration } from "../../format.js";
import { classNames } from "../../components/class-names.js";
import textStyles from "../../components/text.module.css";

/** A duration with a smaller unit. */
export function Figure({ ms, className }: { ms: number; className?: string | undefined }) {
  const { value, unit } = formatDuration(ms);
  return (
    <span className={classNames(textStyles.number, className)}>
      {value}
      <span className={textStyles.unit}> {unit}</span>
    </span>
  );
}
