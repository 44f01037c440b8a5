import { describe, expect, it } from '@jest/globals';
import { isUnavailable, tenantHasNoTurn } from './postgres-errors.js';

describe('work whose turn does not come in time', () => {
  it('fails as it does when the pool is full', () => {
    expect(isUnavailable(tenantHasNoTurn())).toBe(true);
  });
});

describe('a connection for which no descriptor is left', () => {
  it.each(['EMFILE', 'ENFILE'])('is of a database that cannot be reached for now, whatever asks for it: %s', (code) => {
    expect(isUnavailable(Object.assign(new Error(`connect ${code} 127.0.0.1:5432`), { code }))).toBe(true);
  });
});
