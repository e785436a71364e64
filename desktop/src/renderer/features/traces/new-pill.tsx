import { ArrowUp } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useStores, useTraces } from "../../app-context.js";
import { formatWhole } from "../../format.js";
import iconStyles from "../../components/icon.module.css";
import textStyles from "../../components/text.module.css";
import styles from "./new-pill.module.css";

/** Button that shows the traces that arrived while the table stood still. */
export function NewPill() {
  const { traces } = useStores();
  const count = useTraces((state) => state.arrivals.length);
  const hasGap = useTraces((state) => state.hasGap);
  const isHeld = useTraces((state) => state.paused || !state.following);
  if (count === 0 || !isHeld) return null;

  function show(): void {
    traces.getState().setFollowing(true);
    traces.getState().showArrivals();
  }
  return (
    <button type="button" className={styles.pill} data-tip="Show them  L" onClick={show}>
      <ArrowUp className={iconStyles.tiny} aria-hidden />
      {formatWhole(count)}
      {hasGap && "+"} new
    </button>
  );
}

/** Screen readers announce arrivals at most this often. */
const ANNOUNCE_MS = 10_000;

/** Announces new traces to screen readers. */
export function ArrivalsAnnouncer() {
  const { traces } = useStores();
  const [message, setMessage] = useState("");
  const announced = useRef(traces.getState().arrivedCount);
  useEffect(() => {
    const timer = setInterval(() => {
      const { arrivedCount } = traces.getState();
      const count = arrivedCount - announced.current;
      announced.current = arrivedCount;
      setMessage(count === 0 ? "" : `${formatWhole(count)} new ${count === 1 ? "trace" : "traces"}`);
    }, ANNOUNCE_MS);
    return () => clearInterval(timer);
  }, [traces]);
  return (
    <p className={textStyles.screenReader} role="status">
      {message}
    </p>
  );
}
