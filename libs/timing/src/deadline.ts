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

/** Whether the work ends in time; it goes on otherwise. @throws as `withDeadline` */
export async function endsWithin(work: Promise<unknown>, deadlineMs: number): Promise<boolean> {
  return withDeadline(
    work.then(() => true),
    deadlineMs,
    () => false,
  );
}
