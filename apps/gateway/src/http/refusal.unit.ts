import { describe, expect, it } from '@jest/globals';
import { createLog } from '@switchboard/platform';
import { refusalOfThrown } from './refusal.js';

const log = createLog('gateway');
const reset = (more: object = {}): Error =>
  Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', ...more });

describe('a connection that was reset', () => {
  it('is a missing dependency when it was one of ours, for example to the database', () => {
    const refusal = refusalOfThrown(reset({ syscall: 'read' }), log, 'test');
    expect([refusal.status, refusal.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });

  it('is a malformed body when it was the caller’s, while the body was read', () => {
    const refusal = refusalOfThrown(reset({ statusCode: 400 }), log, 'test');
    expect([refusal.status, refusal.code]).toEqual([400, 'MALFORMED_BODY']);
  });
});
