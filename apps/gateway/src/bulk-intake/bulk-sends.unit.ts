import { describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { commitJobRpc } from '@switchboard/contracts/templates/job-rpc';
import { Readable } from 'node:stream';
import { TakeBulkSend } from './take-bulk-send.js';

describe('the body of a bulk send', () => {
  it('makes no job when its key or subscription ended before it did, and asks only when it has ended', async () => {
    const called: string[] = [];
    const threads = {
      open: () => ({
        push: async () => (called.push('piece'), []),
        end: async () => ({ fields: {}, hints: '', total: 1, lastChunk: null, refusal: null }),
        drop: () => undefined,
      }),
    };
    const rpc = { call: async ({ subject }: { subject: string }) => (called.push(subject), { found: null }) };
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const take = new TakeBulkSend(threads as never, rpc as never, { GATEWAY_REQUEST_TIMEOUT_MS: 1_000 }, log);
    const taken = take.take(systemPrincipal('c1', 'test'), {
      stream: Readable.from([Buffer.from('{}')]),
      announcedBytes: 2,
      over: new AbortController().signal,
      idempotencyKey: 'a',
      quotaNow: () => {
        called.push('quota');
        return Promise.reject(new AppError(gatewayErrors.UNAUTHORIZED));
      },
    });
    await expect(taken).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(called).toEqual(['piece', 'quota']);
    expect(called).not.toContain(commitJobRpc.subject);
  });
});
