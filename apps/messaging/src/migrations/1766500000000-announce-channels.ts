import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { channelChanged } from '@switchboard/contracts/messaging/events';
import type { ChannelFacts } from '@switchboard/contracts/messaging/http';
import { OUTBOX_RETENTION_DAYS } from '@switchboard/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A channel as it is now. */
type AnnouncedChannel = ChannelFacts & { readonly organizationId: string };

/**
 * Emits an event for every channel: the broker keeps events for a week, so a service that came later knows no older channel,
 * and events of an older release do not name the business account. Lock: none but that of the outbox's new rows. Reversal:
 * nothing, what is announced is true.
 */
export class AnnounceChannels1766500000000 implements MigrationInterface {
  readonly name = 'AnnounceChannels1766500000000';

  async up(runner: QueryRunner): Promise<void> {
    const channels = (await runner.query(
      `SELECT organization_id AS "organizationId", id, name, phone, status, is_default AS "isDefault",
         default_region AS "defaultRegion", business_account_id AS "businessAccountId"
       FROM channel ORDER BY organization_id, id`,
    )) as readonly AnnouncedChannel[];
    if (channels.length === 0) return;
    // The service makes its days while it runs; it may have stood still for longer than it looks ahead.
    await runner.query('SELECT keep_outbox_partitions($1)', [OUTBOX_RETENTION_DAYS]);
    const occurredAt = new Date().toISOString();
    for (const { organizationId, ...channel } of channels) {
      const envelope: EventEnvelope = {
        id: newCuid(),
        subject: channelChanged.subject,
        organizationId,
        aggregateId: channel.id,
        sequence: null,
        occurredAt,
        data: { channel },
      };
      await runner.query('INSERT INTO outbox (id, aggregate_id, subject, payload) VALUES ($1, $2, $3, $4)', [
        envelope.id,
        envelope.aggregateId,
        envelope.subject,
        JSON.stringify(envelope),
      ]);
    }
  }

  async down(): Promise<void> {
    // Nothing: an event that was published is not taken back.
  }
}
