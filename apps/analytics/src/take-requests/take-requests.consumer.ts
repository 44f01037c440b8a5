import { Inject, Injectable } from '@nestjs/common';
import { requestsCounted } from '@switchboard/contracts/gateway/events';
import type { EventDataOf } from '@switchboard/contracts/grammar/define-event';
import { analyticsRequestsConsumer } from '@switchboard/contracts/consumers';
import { PLATFORM, ProjectionConsumer, type Platform, type ProjectedEvent } from '@switchboard/platform';
import type { Transaction } from '@switchboard/postgres';
import { addToRollup } from '../rollup/rollup.repository.js';

/** Each gateway counts once a second. */
const PULLS_APART_MS = 10_000;

type RequestsCounted = EventDataOf<typeof requestsCounted>;

/** Counts requests to the API by what the gateways have counted. */
@Injectable()
export class TakeRequestsConsumer extends ProjectionConsumer<RequestsCounted> {
  constructor(@Inject(PLATFORM) platform: Platform) {
    super(platform, requestsCounted, {
      consumer: analyticsRequestsConsumer,
      batchMax: 200,
      pullsApartMs: PULLS_APART_MS,
    });
  }

  protected async project(tx: Transaction, events: readonly ProjectedEvent<RequestsCounted>[]): Promise<void> {
    const differences = events.flatMap(({ organizationId, data: { at, counts } }) =>
      counts.map(({ endpoint, statusClass, requests }) => ({
        organizationId,
        report: 'requests' as const,
        at: new Date(at),
        channelId: '',
        key: `${statusClass} ${endpoint}`,
        by: requests,
      })),
    );
    addToRollup(tx, differences);
  }
}
