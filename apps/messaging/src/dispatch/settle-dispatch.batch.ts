import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { optOutObserved } from '@switchboard/contracts/messaging/events';
import { activeTraceparent } from '@switchboard/nats';
import { appendEvents, Relay } from '@switchboard/outbox';
import { Database, statement, type Transaction } from '@switchboard/postgres';
import { coalesce, type Coalesced } from '@switchboard/postgres/coalesce';
import { systemClock } from '@switchboard/service';
import { disconnectChannels } from '../channel/channel.repository.js';
import { recordProgress, type ProgressReport } from '../message/record-progress.js';
import type { UpstreamOutcome } from '../upstream/upstream.js';
import { dispatchMetrics } from './dispatch-metrics.js';
import { postponeDispatches, type Dispatch, type Postponement } from './dispatch.repository.js';
import { retryDelayMs, SETTLE_DEADLINE_MS } from './retry.policy.js';

/** What came of one attempt. */
export interface Settlement {
  readonly dispatch: Dispatch;
  readonly outcome: UpstreamOutcome;
  readonly traceparent: string | null;
}

const suppress = statement(
  'messaging.suppression.upstream',
  `INSERT INTO suppression (organization_id, contact_id, channel_id, source)
   SELECT DISTINCT organization_id, contact_id, channel_id, 'UPSTREAM'
   FROM unnest($1::text[], $2::text[], $3::text[]) AS s(organization_id, contact_id, channel_id)
   ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`,
);

/** Records what came of attempts: message, events, dispatch row, opt-out and channel in one transaction. */
@Injectable()
export class SettleDispatch implements BeforeApplicationShutdown {
  private readonly settle: Coalesced<Settlement, void>;

  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
  ) {
    this.settle = coalesce<Settlement, void>({
      name: 'messaging.settle-dispatch',
      run: (settlements) => this.run(settlements),
      tenant: ({ dispatch }) => dispatch.organizationId,
      serialKey: ({ dispatch }) => `${dispatch.organizationId} ${dispatch.channelId} ${dispatch.contactId}`,
      limits: { items: 200, bytes: 1_000_000, inFlight: 2, waiting: 10_000 },
    });
  }

  /** Safe to repeat: facts that are known change nothing. */
  async execute(dispatch: Dispatch, outcome: UpstreamOutcome): Promise<void> {
    await this.settle({ dispatch, outcome, traceparent: activeTraceparent() });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.settle.drain();
  }

  private async run(settlements: readonly Settlement[]): Promise<{ ok: undefined }[]> {
    await this.database.transaction((tx) => applySettlements(tx, settlements));
    dispatchMetrics().unknown('unanswered', settlements.filter(({ outcome }) => outcome.state === 'unknown').length);
    this.relay.wake();
    return settlements.map(() => ({ ok: undefined }));
  }
}

/** The whole effect of a batch of settlements. */
export async function applySettlements(tx: Transaction, settlements: readonly Settlement[]): Promise<void> {
  await recordProgress(tx, settlements.flatMap(reportOf));
  postponeDispatches(tx, settlements.flatMap(postponementOf));
  const refused = (kind: string): Settlement[] =>
    settlements.filter(({ outcome }) => outcome.state === 'refused' && outcome.kind === kind);
  disconnectChannels(
    tx,
    refused('disconnected').map(({ dispatch }) => dispatch),
  );
  recordOptOuts(tx, refused('opted-out'));
}

function reportOf({ dispatch, outcome, traceparent }: Settlement): ProgressReport[] {
  const report = { organizationId: dispatch.organizationId, messageId: dispatch.messageId, traceparent };
  if (outcome.state === 'accepted') {
    return [{ ...report, fact: { type: 'sent' }, upstreamMessageId: outcome.upstreamMessageId }];
  }
  if (outcome.state !== 'refused') return [];
  const { code, message } = outcome;
  const at = new Date(systemClock.now());
  return [{ ...report, fact: { type: 'failed', at, code, message, afterSending: false }, upstreamMessageId: null }];
}

function postponementOf({ dispatch, outcome }: Settlement): Postponement[] {
  if (outcome.state === 'unknown') return [{ dispatch, state: 'UNKNOWN', delayMs: SETTLE_DEADLINE_MS }];
  if (outcome.state !== 'not-taken') return [];
  return [{ dispatch, state: 'RETRY', delayMs: retryDelayMs(dispatch.attempts, outcome.retry, Math.random()) }];
}

/** The suppression stops the next send at once; the event lets the contacts service keep the opt-out's record. */
function recordOptOuts(tx: Transaction, settlements: readonly Settlement[]): void {
  if (settlements.length === 0) return;
  const dispatches = settlements.map(({ dispatch }) => dispatch);
  tx.atCommit(suppress, [
    dispatches.map((d) => d.organizationId),
    dispatches.map((d) => d.contactId),
    dispatches.map((d) => d.channelId),
  ]);
  const occurredAt = new Date(systemClock.now());
  appendEvents(
    tx,
    settlements.map(({ dispatch, traceparent }) => ({
      event: optOutObserved,
      organizationId: dispatch.organizationId,
      aggregateId: dispatch.contactId,
      sequence: null,
      occurredAt,
      data: { contactId: dispatch.contactId, messagingChannelId: dispatch.channelId, source: 'UPSTREAM' as const },
      traceparent,
    })),
  );
}
