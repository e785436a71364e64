import { useEffect, useState } from "react";
import { useMediaQuery } from "../../../components/use-media-query.js";

/** Running numbers update five times a second, or once a second with reduced motion. */
const TICK_MS = 200;
const CALM_TICK_MS = 1000;

/** The time in epoch milliseconds, moving on while `isActive`. */
export function useNow(isActive: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  const isCalm = useMediaQuery("(prefers-reduced-motion: reduce)");
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(() => setNow(Date.now()), isCalm ? CALM_TICK_MS : TICK_MS);
    return () => clearInterval(timer);
  }, [isActive, isCalm]);
  return now;
}
