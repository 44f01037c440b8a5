import {
  createOptOutRpc,
  deleteOptOutRpc,
  eraseContactRpc,
  getContactRpc,
  listOptOutsRpc,
  upsertContactRpc,
  type CreateOptOutRequest,
  type ListOptOutsRequest,
  type UpsertContactRequest,
} from '@switchboard/contracts/contacts/rpc';
import type { AuditedActor } from '@switchboard/contracts/grammar/audited-act';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventDefinition, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { channelChanged } from '@switchboard/contracts/messaging/events';
import { EventPublisher } from '@switchboard/nats';
import { eventually } from '@switchboard/testing/eventually';
import type { RunningContacts } from './running-contacts.js';

/** A new organization, asked as the gateway asks with a key of it. */
// Its methods say their types; a return type would say them again.
export function organizationOf(running: RunningContacts) {
  const organizationId = newCuid();
  const principal: Principal = { organizationId, actor: { type: 'key', keyId: 'ckey0001' }, scopes: null };
  const { gateway } = running;
  const nothing = { contactId: null, phone: null, messagingChannelId: null };
  return {
    organizationId,
    principal,
    upsert: (request: UpsertContactRequest) => gateway.call(upsertContactRpc, principal, request),
    contact: (id: string) => gateway.call(getContactRpc, principal, { id }),
    optOut: (request: Partial<CreateOptOutRequest>, as: Principal = principal) =>
      gateway.call(createOptOutRpc, as, { ...nothing, reason: null, ...request }),
    optOuts: async (request: Partial<ListOptOutsRequest> = {}) =>
      gateway.call(listOptOutsRpc, principal, { limit: 25, cursor: null, ...nothing, ...request }),
    erase: (id: string, by?: AuditedActor) => gateway.call(eraseContactRpc, principal, { id, ...(by && { by }) }),
    remove: (id: string) => gateway.call(deleteOptOutRpc, principal, { id }),
    /** Makes a channel and messaging's event of it. */
    connect: async (defaultRegion = 'US', isDefault = false): Promise<string> => {
      const id = newCuid();
      await publishEvent(running, organizationId, id, channelChanged, {
        channel: { id, name: 'support', phone: '+12015550181', status: 'CONNECTED', isDefault, defaultRegion },
      });
      const sql = 'SELECT 1 FROM contacts.channel WHERE organization_id = $1 AND id = $2';
      await eventually(async () => (await running.superuser.dataSource.query(sql, [organizationId, id])).length > 0);
      return id;
    },
    /** Its events, in the order of the outbox. */
    events: async (): Promise<EventEnvelope[]> => {
      const sql = `SELECT payload FROM contacts.outbox WHERE payload::jsonb ->> 'organizationId' = $1 ORDER BY position`;
      const rows: { payload: string }[] = await running.superuser.dataSource.query(sql, [organizationId]);
      return rows.map(({ payload }) => JSON.parse(payload) as EventEnvelope);
    },
  };
}

/** Publishes an event in messaging's name. @returns its id */
export async function publishEvent<Data>(
  running: RunningContacts,
  organizationId: string,
  aggregateId: string,
  event: EventDefinition<Data>,
  data: Data,
  at = new Date(),
): Promise<string> {
  const id = newCuid();
  const envelope = { id, subject: event.subject, organizationId, aggregateId, sequence: null, data };
  const payload = JSON.stringify({ ...envelope, occurredAt: at.toISOString() });
  await new EventPublisher(running.connection, 'messaging').publish({
    id,
    subject: event.subject,
    payload,
    traceparent: null,
  });
  return id;
}
