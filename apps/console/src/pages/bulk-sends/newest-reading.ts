/**
 * Follows what was begun last: the result of an earlier reading that takes longer is dropped.
 *
 * @returns what takes a reading, and what to do with its end
 */
export function newestReading(): <T>(
  reading: Promise<T>,
  take: (result: T) => void,
  fail: (error: unknown) => void,
) => void {
  let newest = 0;
  return (reading, take, fail) => {
    const own = ++newest;
    reading.then(
      (result) => {
        if (own === newest) take(result);
      },
      (error: unknown) => {
        if (own === newest) fail(error);
      },
    );
  };
}
