import { describe, expect, it } from '@jest/globals';
import { readCommandLine } from './command-line.js';

const timeoutOf = (...args: string[]): number =>
  readCommandLine(['quota', 'check', ...args]).choices.statementTimeoutMs;

describe('--statement-timeout', () => {
  it('bounds a statement in seconds, 30 without it', () => {
    expect([timeoutOf(), timeoutOf('--statement-timeout', '600')]).toEqual([30_000, 600_000]);
  });

  it.each(['0', '-1', '1.5', 'long', '86401', ''])('refuses "%s" by a line', (seconds) => {
    const line = `--statement-timeout takes seconds, 1 to 86400, not "${seconds}"`;
    expect(() => timeoutOf('--statement-timeout', seconds)).toThrow(line);
  });
});
