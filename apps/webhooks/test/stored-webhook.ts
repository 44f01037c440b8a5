import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { storePublicEvents } from '../src/event/event.repository.js';
import { insertLane } from '../src/lane/lane.repository.js';
import { insertWebhook } from '../src/webhook/webhook.repository.js';

/** A webhook in the database, without a service that delivers to it. */
export interface StoredWebhook {
  readonly organizationId: string;
  readonly id: string;
}

/** Stores a webhook and some events, each with its pending delivery. */
export async function storeWebhook(database: Database, events: number): Promise<StoredWebhook> {
  const webhook = { organizationId: newCuid(), id: newCuid() };
  const { organizationId, id } = webhook;
  const secretSealed = Buffer.alloc(1);
  const eventsFrom = cuidFloor(new Date(Date.now() - 60_000));
  const of = {
    organizationId,
    type: 'message.received',
    line: '',
    body: '{}',
    contactId: null,
    messageId: null,
  } as const;
  const occurredAt = new Date().toISOString();
  await database.transaction(async (tx) => {
    const told = { url: 'https://example.org/', events: [of.type], description: null };
    await insertWebhook(tx, { ...webhook, ...told, secretSealed, eventsFrom });
    await insertLane(tx, organizationId, id);
    await storePublicEvents(
      tx,
      Array.from({ length: events }, () => ({ ...of, id: newCuid(), occurredAt })),
    );
  });
  return webhook;
}
