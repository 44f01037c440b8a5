import { describe, expect, it } from '@jest/globals';
import type { Relay } from '@switchboard/outbox';
import { OutcomeUnknown, type Database } from '@switchboard/postgres';
import type { Log } from '@switchboard/platform';
import type { ReleasedLeases } from '../dispatch/released-leases.js';
import { AcceptMessage, type AcceptRequest } from './accept-message.batch.js';

const messageId = 'c0123456789abcdefghijklmn';
const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const request = { organizationId: 'c1', messageId, text: 'hello', lease: 'the lease' } as AcceptRequest;
const serverError = (code: string): Error => Object.assign(new Error(code), { code, severity: 'ERROR' });

describe('accepting a message', () => {
  it('whose COMMIT has no answer is refused for now with its id, is given back, and is not asked for again here', async () => {
    const { accept, runs, givenBack } = failing(() => new OutcomeUnknown(new Error('cut')));
    await expect(accept()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', messageId, retryAfterSeconds: 1 });
    expect([runs(), givenBack]).toEqual([1, ['the lease']]);
  });

  it.each([
    ['QT001', 20, { code: 'SERVICE_UNAVAILABLE', messageId: undefined }],
    ['40001', 3, { code: '40001' }],
    ['40P01', 3, { code: '40P01' }],
    ['23505', 3, { code: '23505' }],
    ['22021', 1, { code: '22021' }],
  ])(
    'is run again where others committed first (%s): %d runs at most, and nothing to give back',
    async (code, max, refusal) => {
      const { accept, runs, givenBack } = failing(() => serverError(code));
      await expect(accept()).rejects.toMatchObject(refusal);
      expect([runs(), givenBack]).toEqual([max, []]);
    },
  );

  it.each(['QT001', '40001', '23505'])(
    'is not run again after %s when its caller has stopped waiting',
    async (code) => {
      const caller = new AbortController();
      const { accept, runs } = failing((run) => {
        if (run === 2) caller.abort(new Error('the budget is spent'));
        return serverError(code);
      });
      await expect(accept(caller.signal)).rejects.toThrow('the budget is spent');
      expect(runs()).toBe(2);
    },
  );
});

/** Over a database of which every transaction fails. */
function failing(failureOf: (run: number) => Error) {
  let run = 0;
  const transaction = async (): Promise<never> => {
    throw failureOf(++run);
  };
  const givenBack: string[] = [];
  const released = { giveBack: (lease) => void givenBack.push(lease) } as Partial<ReleasedLeases> as ReleasedLeases;
  const database = { transaction } as unknown as Database;
  const acceptMessage = new AcceptMessage(database, {} as Relay, released, log);
  const accept = (signal = new AbortController().signal) => acceptMessage.execute(request, signal);
  return { accept, runs: () => run, givenBack };
}
