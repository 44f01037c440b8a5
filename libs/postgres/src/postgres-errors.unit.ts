import { describe, expect, it } from '@jest/globals';
import { isUnavailable, tenantHasNoTurn } from './postgres-errors.js';

describe('work whose turn does not come in time', () => {
  it('fails as it does when the pool is full', () => {
    expect(isUnavailable(tenantHasNoTurn())).toBe(true);
  });
});
