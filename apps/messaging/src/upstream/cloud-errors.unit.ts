import { describe, expect, it } from '@jest/globals';
import { retryDelayMs } from '../dispatch/retry.policy.js';
import { knownCodes, outcomeOfError } from './cloud-errors.policy.js';
import { failureInWords, inWords } from './code-words.policy.js';

const refused = (kind: string) => ({ state: 'refused', kind });
const notTaken = (retry: string) => ({ state: 'not-taken', retry });
const unknown = { state: 'unknown' };

describe('an error of the provider', () => {
  it.each([
    [{ message: 'refused', error_data: { details: { text: 'no string' } } }, 'refused'],
    [{ message: 42, error_data: null }, 'no details'],
    [{ message: ['a', 'b'], error_data: 'no object' as unknown as null }, 'no details'],
  ])('is what its code says, whatever its explanation is: %j', (explained, message) => {
    const expected = { ...refused('rejected'), code: '131026', message };
    expect(outcomeOfError({ code: 131026, ...explained }, 400)).toEqual(expected);
  });

  it.each([
    [0, 401, refused('disconnected')],
    [190, 401, refused('disconnected')],
    [10, 403, refused('disconnected')],
    [200, 403, refused('disconnected')],
    [299, 403, refused('disconnected')],
    [131005, 403, refused('disconnected')],
    [33, 400, refused('disconnected')],
    [133010, 400, refused('disconnected')],
    [4, 400, notTaken('normal')],
    [80007, 400, notTaken('normal')],
    [130429, 429, notTaken('normal')],
    [131016, 500, notTaken('normal')],
    [133004, 500, notTaken('normal')],
    [2, 503, notTaken('normal')],
    [131056, 400, notTaken('pair')],
    [131048, 400, notTaken('slow')],
    [131026, 400, refused('rejected')],
    [131047, 400, refused('rejected')],
    [100, 400, refused('rejected')],
    [131050, 400, refused('opted-out')],
    [131031, 403, refused('blocked')],
    [368, 403, refused('blocked')],
    [130497, 403, refused('blocked')],
    [131042, 400, refused('blocked')],
    [132001, 404, refused('template-missing')],
    [132015, 400, refused('template-paused')],
    [132016, 400, refused('template-disabled')],
    [132000, 400, refused('rejected')],
    [132005, 400, refused('rejected')],
    [132007, 400, refused('rejected')],
    [132012, 400, refused('rejected')],
    [130403, 403, refused('rejected')],
    [130472, 400, refused('rejected')],
    [131021, 400, refused('rejected')],
    [135000, 500, refused('rejected')],
    [131064, 429, notTaken('slow')],
    [131000, 500, unknown],
    [1, 500, unknown],
    [999999, 500, unknown],
    [999999, 400, refused('rejected')],
  ])('%i with HTTP %i is decided by its code', (code, status, expected) => {
    expect(outcomeOfError({ code }, status)).toMatchObject(expected);
  });

  it.each([
    [4, 'throughput'],
    [80007, 'throughput'],
    [130429, 'throughput'],
    [131056, 'pair'],
    [131048, 'spam'],
    [131064, 'spam'],
    [131016, undefined],
    [2, undefined],
  ])('%i names the limit that was hit: %s', (code, limit) => {
    const outcome = outcomeOfError({ code }, 400);
    expect(outcome.state === 'not-taken' && outcome.limit).toBe(limit);
  });

  it('has words, for a refusal and for the failure of a message, whatever its code in the table', () => {
    expect(knownCodes.size).toBeGreaterThan(40);
    const codes = [...knownCodes, 200, 299].map(String);
    const without = codes.filter((code) => /error codes/.test(inWords(code) + failureInWords(code)));
    expect(without).toEqual([]);
  });

  it('passes on what the provider says of it', () => {
    const error = { code: 131026, message: 'Message undeliverable', error_data: { details: 'not on the network' } };
    expect(outcomeOfError(error, 400)).toMatchObject({ code: '131026', message: 'not on the network' });
  });
});

describe('the pause before a repetition', () => {
  it.each([
    ['not-begun', 1, 400],
    ['not-begun', 40, 400],
    ['normal', 1, 1_000],
    ['normal', 4, 8_000],
    ['pair', 1, 4_000],
    ['pair', 3, 64_000],
    ['slow', 1, 60_000],
    ['normal', 40, 3_600_000],
  ] as const)(
    '%s after attempt %i is %i ms in the middle, 25 % around it, at most an hour',
    (pace, attempts, middle) => {
      expect(retryDelayMs(attempts, pace, () => 0.5)).toBe(middle);
      expect(retryDelayMs(attempts, pace, () => 0)).toBeGreaterThanOrEqual(middle * 0.75);
      expect(retryDelayMs(attempts, pace, () => 1)).toBeLessThanOrEqual(Math.min(middle * 1.25, 3_600_000));
    },
  );
});
