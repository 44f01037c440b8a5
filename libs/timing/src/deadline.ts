/**
 * The work's result, or what `onLate` returns or throws when the work takes longer. The work itself goes on, and a later
 * failure of it is ignored: cancel it where that matters.
 *
 * @throws as the work, as long as it is in time
 */
export async function withDeadline<Result, Late>(
  work: Promise<Result>,
  deadlineMs: number,
  onLate: () => Late,
): Promise<Result | Late> {
  const late = Promise.withResolvers<Late>();
  const timer = setTimeout(() => late.resolve(Promise.resolve().then(onLate)), deadlineMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The work's result, unless the signal aborts before its end; the work itself goes on. @throws as the work; the signal's reason */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Whether the work ends in time; it goes on otherwise. @throws as `withDeadline` */
export async function endsWithin(work: Promise<unknown>, deadlineMs: number): Promise<boolean> {
  return withDeadline(
    work.then(() => true),
    deadlineMs,
    () => false,
  );
}
