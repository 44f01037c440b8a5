import { describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { runAdmissions, type KeyQuestion } from './admission.batch.js';

const HASHES = ['a', 'b'].map((letter) => letter.repeat(64));

/** A database that knows every key, each of an organization of its own. */
const database = {
  query: async () =>
    HASHES.map((hash) => ({ hash, organizationId: hash, ahead: 0, interval: 1_000_000, burst: 3, granted: 1 })),
} as unknown as Database;

describe('a batch of admissions', () => {
  it('says what proves nothing of a lock: what takes nothing of a rate locks none', async () => {
    const questions = HASHES.map((hash, index) => ({ hash, cost: index === 0 ? 0 : 1, askedMs: performance.now() }));
    expect(await runAdmissions(database, questions as KeyQuestion[])).toMatchObject([
      { provesNothing: true },
      { provesNothing: false },
    ]);
  });
});
