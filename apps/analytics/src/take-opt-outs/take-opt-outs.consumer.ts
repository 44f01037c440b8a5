import { Inject, Injectable } from '@nestjs/common';
import { optOutCreated } from '@switchboard/contracts/contacts/events';
import type { EventDataOf } from '@switchboard/contracts/grammar/define-event';
import { analyticsOptOutsConsumer } from '@switchboard/contracts/consumers';
import { PLATFORM, ProjectionConsumer, type Platform, type ProjectedEvent } from '@switchboard/platform';
import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import { creditTemplates, lockContacts, type TouchedContact } from '../credit/credit.repository.js';
import { creditDifferences } from '../credit/credit.policy.js';
import { addToRollup } from '../rollup/rollup.repository.js';

type OptOutCreated = EventDataOf<typeof optOutCreated>;

const keep = statement(
  'analytics.opt-out-fact.keep',
  `INSERT INTO opt_out_fact (organization_id, channel_id, contact_id, created_at)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) ORDER BY 1, 2, 3, 4 ON CONFLICT DO NOTHING`,
);

/** Counts opt-outs with the templates that came before them. */
@Injectable()
export class TakeOptOutsConsumer extends ProjectionConsumer<OptOutCreated> {
  constructor(@Inject(PLATFORM) platform: Platform) {
    super(platform, optOutCreated, { consumer: analyticsOptOutsConsumer, batchMax: 200 });
  }

  protected async project(tx: Transaction, events: readonly ProjectedEvent<OptOutCreated>[]): Promise<void> {
    if (events.length === 0) return;
    const touched: TouchedContact[] = events.map(({ organizationId, data: { optOut, messagingChannelId } }) => ({
      organizationId,
      channelId: messagingChannelId,
      contactId: optOut.contactId,
      at: new Date(optOut.createdAt),
    }));
    await lockContacts(tx, touched);
    await tx.query(keep, unnestColumns(touched, ['organizationId', 'channelId', 'contactId', 'at']));
    addToRollup(tx, (await creditTemplates(tx, touched)).flatMap(creditDifferences));
  }
}
