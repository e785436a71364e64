import { runSteps, type Steps } from "@obspan/collector-core/analysis";
import { useEffect, useMemo, useRef, useState } from "react";

/** How long work may keep the page from drawing and from answering keys. */
const SLICE_MS = 15;

/** Starts work that can pause. */
export type Work<T> = () => Steps<T>;

/**
 * The result of work: of short work at once, of long work when it is done in slices. Until then the result before stays. Work
 * that has begun is finished before newer work begins: a running trace may change faster than it is read.
 *
 * @param work - memoized; another function is other work.
 * @returns undefined until the first long work is done.
 */
export function useInSlices<T>(work: Work<T>, isLong: boolean): T | undefined {
  const [done, setDone] = useState<{ readonly work: Work<T>; readonly value: T }>();
  const [failure, setFailure] = useState<{ readonly error: unknown }>();
  const atOnce = useMemo(() => (isLong ? undefined : { value: runSteps(work()) }), [work, isLong]);
  const wanted = useRef<Work<T>>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    wanted.current = isLong ? work : undefined;
    const begin = (): void => {
      const begun = wanted.current;
      if (begun === undefined) return;
      const steps = begun();
      const slice = (): void => {
        timer.current = undefined;
        try {
          const until = performance.now() + SLICE_MS;
          do {
            const step = steps.next();
            if (step.done !== true) continue;
            setDone({ work: begun, value: step.value });
            if (wanted.current !== begun) begin();
            return;
          } while (performance.now() < until);
          timer.current = setTimeout(slice);
        } catch (error) {
          setFailure({ error });
        }
      };
      timer.current = setTimeout(slice);
    };
    if (isLong && timer.current === undefined) begin();
  }, [work, isLong]);
  useEffect(
    () => () => {
      wanted.current = undefined;
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  // Shown by the error boundary around, which retries.
  if (failure !== undefined) throw failure.error;
  return atOnce === undefined ? done?.value : atOnce.value;
}
