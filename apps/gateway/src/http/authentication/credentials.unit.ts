import { describe, expect, it } from '@jest/globals';
import { bearerToken } from './credentials.policy.js';

describe('what a request shows of a key', () => {
  it.each<[string[], string | null]>([
    [['Authorization', 'Bearer svc_a'], 'svc_a'],
    [['AUTHORIZATION', 'bEaReR    svc_a'], 'svc_a'],
    [[], null],
    [['Authorization', ''], null],
    [['Authorization', 'svc_a'], null],
    [['Authorization', 'Bearersvc_a'], null],
    [['Authorization', 'Bearer svc_a svc_b'], null],
    [['Authorization', 'Bearer svc_a', 'Authorization', 'Bearer svc_a'], null],
    [['X-Authorization', 'Bearer svc_a'], null],
  ])('of %j is %p', (rawHeaders, key) => {
    expect(bearerToken(rawHeaders)).toBe(key);
  });
});
