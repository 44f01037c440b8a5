import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { RpcClient } from '@switchboard/nats';
import { ReportQuery } from './report.query.js';
import { Reports } from './reports.js';

describe('reports of templates', () => {
  afterEach(() => void jest.useRealTimers());

  it('are made two at once, one of an organization, and are 503 without a turn within 5 s', async () => {
    jest.useFakeTimers();
    const begun: string[] = [];
    const call = (_rpc: unknown, { organizationId }: Principal): Promise<never> => {
      begun.push(organizationId);
      return new Promise(() => undefined);
    };
    const reports = new Reports({ call: call as RpcClient['call'] });
    const refused = ['a', 'a', 'b', 'c'].map((organizationId) =>
      reports
        .templates({ organizationId } as Principal, new ReportQuery(), () => Promise.resolve(''))
        .catch((error: unknown) => error),
    );
    expect(begun).toEqual(['a', 'b']);
    await jest.advanceTimersByTimeAsync(5_000);
    const without = { definition: serviceErrors.SERVICE_UNAVAILABLE, retryAfterSeconds: 1 };
    expect(await Promise.all([refused[1], refused[3]])).toMatchObject([without, without]);
    expect(begun).toEqual(['a', 'b']);
  });
});
