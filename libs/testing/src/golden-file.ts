import { readFile, writeFile } from 'node:fs/promises';

/**
 * The text that a golden file holds, for a test to compare `actual` with. To renew it, delete it and run the test: it is
 * written from `actual`, to be read in review.
 *
 * @throws Error when the file was missing, so that a lost file never passes unseen
 */
export async function goldenFile(path: string, actual: string): Promise<string> {
  const golden = await readFile(path, 'utf8').catch(() => undefined);
  if (golden !== undefined) return golden;
  await writeFile(path, actual);
  throw new Error(`${path} was missing and is written now: read it, then run the test again`);
}
