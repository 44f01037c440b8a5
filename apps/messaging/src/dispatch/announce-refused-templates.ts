import { templateRefused } from '@switchboard/contracts/messaging/template-events';
import { appendEvents } from '@switchboard/outbox';
import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { UpstreamOutcome } from '../upstream/upstream.js';
import type { Attempt, AttemptTemplate } from './dispatch.entity.js';
import { laneConsequenceOf } from './lane-consequences.policy.js';

const accountsSql = statement<{ channelId: string; businessAccountId: string }>(
  'messaging.channel.accounts',
  `SELECT ch.id AS "channelId", ch.business_account_id AS "businessAccountId"
   FROM unnest($1::text[], $2::text[]) AS g(organization_id, id)
   JOIN channel ch ON ch.organization_id = g.organization_id AND ch.id = g.id`,
);

/** What the upstream answered to an attempt, or reported of its message afterwards. */
export interface AnsweredAttempt {
  readonly attempt: Pick<Attempt, 'organizationId' | 'channelId'> & {
    readonly template: Pick<AttemptTemplate, 'name' | 'language'> | null;
  };
  readonly outcome: UpstreamOutcome;
  readonly knownAt: Date;
  readonly traceparent: string | null;
}

/** Announces templates that the upstream refused to send, for whoever keeps their status. */
export async function announceRefusedTemplates(
  tx: Transaction,
  settlements: readonly AnsweredAttempt[],
): Promise<void> {
  const refused = settlements.flatMap((settlement) => {
    const { template: reason } = laneConsequenceOf(settlement.outcome);
    const { template } = settlement.attempt;
    return reason && template ? [{ ...settlement, reason, template }] : [];
  });
  if (refused.length === 0) return;
  const channels = refused.map(({ attempt }) => attempt);
  const found = await tx.query(accountsSql, unnestColumns(channels, ['organizationId', 'channelId']));
  const accountOf = new Map(found.map(({ channelId, businessAccountId }) => [channelId, businessAccountId]));
  appendEvents(
    tx,
    refused.flatMap(({ attempt, knownAt, traceparent, reason, template }) => {
      const businessAccountId = accountOf.get(attempt.channelId);
      if (!businessAccountId) return [];
      const { name, language } = template;
      const data = { businessAccountId, name, language, reason };
      const { organizationId } = attempt;
      return [
        {
          event: templateRefused,
          organizationId,
          aggregateId: businessAccountId,
          sequence: null,
          occurredAt: knownAt,
          data,
          traceparent,
        },
      ];
    }),
  );
}
