import { afterEach, describe, expect, it } from '@jest/globals';
import type { ReportRequest } from '@switchboard/contracts/analytics/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { Budget, type RpcCall } from '@switchboard/nats';
import { systemClock } from '@switchboard/platform';
import type { TemplateNameRepository } from '../fact/template-name.repository.js';
import { ReportTemplatesHandler } from '../report-templates/report-templates.handler.js';
import { ReportTurns } from './report-turns.js';
import type { RollupQuery, RollupRepository, RollupRow } from './rollup.repository.js';

const request: ReportRequest = { from: null, to: null, granularity: 'day', timezone: 'UTC', messagingChannelId: null };
const [one, other] = [newCuid(), newCuid()];
const budgets: Budget[] = [];

describe('reports that are asked for at once', () => {
  afterEach(() => {
    for (const budget of budgets.splice(0)) budget.close();
  });

  it('are made one after another for an organization, and at once for another', async () => {
    const { report, begun, end } = readings();
    const first = report(one);
    const second = report(one);
    const ofOther = report(other);
    expect(begun).toEqual([one, other]);
    end(other);
    await ofOther;
    end(one);
    await first;
    await settled();
    expect(begun).toEqual([one, other, one]);
    end(one);
    await second;
  });

  it('leave the others their turn where one fails', async () => {
    const { report, begun, end } = readings();
    const first = report(one);
    const second = report(one);
    end(one, new Error('the database is away'));
    await expect(first).rejects.toThrow('the database is away');
    await settled();
    expect(begun).toEqual([one, one]);
    end(one);
    await second;
  });

  it('read nothing for a caller who waits no more', async () => {
    const { report, begun, end } = readings();
    const first = report(one);
    const given = report(one, new Budget(1));
    await expect(given).rejects.toMatchObject({ definition: serviceErrors.SERVICE_UNAVAILABLE });
    end(one);
    await first;
    await settled();
    expect(begun).toEqual([one]);
    const later = report(one);
    end(one);
    await later;
  });
});

/** A handler whose readings begin and end by hand. */
function readings() {
  const begun: string[] = [];
  const open: { readonly organizationId: string; readonly end: PromiseWithResolvers<RollupRow[]> }[] = [];
  const read = ({ organizationId }: RollupQuery): Promise<RollupRow[]> => {
    begun.push(organizationId);
    const end = Promise.withResolvers<RollupRow[]>();
    open.push({ organizationId, end });
    return end.promise;
  };
  const names = { all: () => Promise.resolve(new Map()) } as unknown as TemplateNameRepository;
  const rollup = { read } as unknown as RollupRepository;
  const handler = new ReportTemplatesHandler(rollup, names, new ReportTurns(), systemClock);
  const report = (organizationId: string, budget = new Budget(60_000)): Promise<unknown> => {
    budgets.push(budget);
    return handler.get({ principal: { organizationId }, request, budget } as RpcCall<ReportRequest>);
  };
  const end = (organizationId: string, error?: Error): void => {
    const [first] = open.splice(
      open.findIndex((one) => one.organizationId === organizationId),
      1,
    );
    if (error) first?.end.reject(error);
    else first?.end.resolve([]);
  };
  return { report, begun, end };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}
