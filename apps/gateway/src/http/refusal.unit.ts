import { describe, expect, it } from '@jest/globals';
import { createLog } from '@switchboard/platform';
import { refusalOfThrown } from './refusal.js';

const log = createLog('gateway');

describe('a connection that was reset', () => {
  it('is a missing dependency when it was one of ours, for example to the database', () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
    const refusal = refusalOfThrown(reset, log, 'test');
    expect([refusal.status, refusal.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });
});
