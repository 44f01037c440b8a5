import { describe, expect, it } from '@jest/globals';
import { mayBeDone } from './problem.js';

describe('a change that failed', () => {
  it('may have been carried out where no answer came, or that of a failure, and never where it was refused', () => {
    expect([0, 500, 502, 503, 504].every((status) => mayBeDone({ status }))).toBe(true);
    expect([400, 401, 402, 403, 404, 409, 413, 429].some((status) => mayBeDone({ status }))).toBe(false);
  });
});
