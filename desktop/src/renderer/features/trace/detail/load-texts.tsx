import { byteSizeText } from "@obspan/collector-core/api-schema";
import { useSpanDetail } from "./span-detail-context.js";
import buttonStyles from "../../../components/button.module.css";
import textStyles from "../../../components/text.module.css";
import styles from "./load-texts.module.css";

/** Explains that long texts are previews, and loads them. */
export function LoadTexts() {
  const { missingBytes, isLoading, problem, load } = useSpanDetail();
  if (missingBytes === 0) return null;
  return (
    <p className={styles.missing}>
      Long texts are shown as previews.{" "}
      <button type="button" className={buttonStyles.more} disabled={isLoading} onClick={load}>
        {isLoading ? "Loading…" : `Show all ${byteSizeText(missingBytes)}`}
      </button>
      {problem !== undefined && <span className={textStyles.error}> Not loaded: {problem}</span>}
    </p>
  );
}
