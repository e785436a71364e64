/** A timer that runs only while there is work, so that an idle process does not wake up. */
export interface WorkTimer {
  /** There may be work: the timer runs from now on. */
  wake(): void;
  start(): void;
  stop(): void;
}

/** @param work - called at each interval. Returns false if nothing is left to do until the next {@link WorkTimer.wake}. */
export function createWorkTimer(intervalMs: number, work: () => boolean): WorkTimer {
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;

  function sleep(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function run(): void {
    if (!work()) sleep();
  }

  function wake(): void {
    if (isStarted) timer ??= setInterval(run, intervalMs).unref();
  }

  return {
    wake,
    start() {
      isStarted = true;
      wake();
    },
    stop() {
      isStarted = false;
      sleep();
    },
  };
}
