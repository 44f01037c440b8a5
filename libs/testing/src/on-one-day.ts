import { it } from '@jest/globals';

const DAY_MS = 86_400_000;

/**
 * The body of a test that counts by days or months of the clock while time goes on: where it fails and midnight (UTC) came meanwhile,
 * it runs once more, on one day.
 *
 * @param body may be repeated
 * @param now milliseconds since 1970
 */
export function onOneDay(body: () => Promise<void>, now: () => number = () => Date.now()): () => Promise<void> {
  const day = (): number => Math.floor(now() / DAY_MS);
  return async () => {
    const begun = day();
    try {
      await body();
    } catch (error) {
      if (day() === begun) throw error;
      await body();
    }
  };
}

/** `it` with such a body. */
export function itOnOneDay(name: string, body: () => Promise<void>): void {
  it(name, onOneDay(body));
}
