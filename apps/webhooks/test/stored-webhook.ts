import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { storePublicEvents } from '../src/event/event.repository.js';
import { insertLane } from '../src/lane/lane.repository.js';
import { insertWebhook } from '../src/webhook/webhook.repository.js';

/** A webhook in the database, without a service that delivers to it. */
export interface StoredWebhook {
  readonly organizationId: string;
  readonly id: string;
}

const EVENT = { type: 'message.received', body: '{}', contactId: null, messageId: null } as const;

/** Stores a webhook and some events, of one line if it is given, each with its pending delivery to each webhook of the organization. */
export async function storeWebhook(
  database: Database,
  events: number,
  organizationId = newCuid(),
  line = '',
): Promise<StoredWebhook> {
  const webhook = { organizationId, id: newCuid() };
  const secretSealed = Buffer.alloc(1);
  await database.transaction(async (tx) => {
    const settings = { url: 'https://example.org/', events: [EVENT.type], description: null };
    await insertWebhook(tx, { ...webhook, ...settings, secretSealed, createdAt: new Date(), keyed: null });
    await insertLane(tx, webhook.organizationId, webhook.id);
  });
  await storeEvents(database, webhook, events, line);
  return webhook;
}

/** Stores further events of a webhook's organization, without a wake-up. */
export async function storeEvents(
  database: Database,
  { organizationId }: StoredWebhook,
  events: number,
  line = '',
): Promise<void> {
  const occurredAt = new Date().toISOString();
  const stored = Array.from({ length: events }, () => ({ ...EVENT, line, organizationId, id: newCuid(), occurredAt }));
  await database.transaction(async (tx) => void (await storePublicEvents(tx, stored)));
}
