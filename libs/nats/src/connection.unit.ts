import { describe, expect, it } from '@jest/globals';
import { AuthorizationError } from '@nats-io/transport-node';
import { isUserRefused } from './connection.js';

describe('a user', () => {
  it('is refused for what will not pass, and not for a process that was too slow to say who it is', () => {
    const isRefused = (text: string): boolean => isUserRefused(AuthorizationError.parse(text));
    expect(isRefused("'Authorization Violation'")).toBe(true);
    expect(isRefused("'Account Authentication Expired'")).toBe(true);
    expect(isRefused("'Authentication Timeout'")).toBe(false);
    expect(isUserRefused(new Error('ECONNREFUSED'))).toBe(false);
  });
});
