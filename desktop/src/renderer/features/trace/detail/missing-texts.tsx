import { formatBytes } from "../../../format.js";
import { useSpanDetail } from "./span-detail-context.js";

/** Says that long texts stand as previews, and fetches them. */
export function MissingTexts() {
  const { missingBytes, isLoading, problem, load } = useSpanDetail();
  if (missingBytes === 0) return null;
  const { value, unit } = formatBytes(missingBytes);
  return (
    <p className="missing">
      Long texts stand as previews.{" "}
      <button type="button" className="more" disabled={isLoading} onClick={load}>
        {isLoading ? "Loading…" : `Show all ${value} ${unit}`}
      </button>
      {problem !== undefined && <span className="is-error"> Not loaded: {problem}</span>}
    </p>
  );
}
