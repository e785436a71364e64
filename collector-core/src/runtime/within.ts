/** Work took too long. */
export class NoAnswer extends Error {}

/** Rejects with {@link NoAnswer} if work takes longer. The work goes on. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => reject(new NoAnswer(`no answer within ${ms} ms`));
    // After a long turn of the event loop the answer may be there, and is read in the turn of the timer.
    timer = setTimeout(() => setImmediate(giveUp), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
