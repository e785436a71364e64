import { formatDuration } from "../../format.js";

/** A duration, its unit set smaller. */
export function Figure({ ms, className = "" }: { ms: number; className?: string }) {
  const { value, unit } = formatDuration(ms);
  return (
    <span className={`num ${className}`}>
      {value}
      <span className="unit"> {unit}</span>
    </span>
  );
}
