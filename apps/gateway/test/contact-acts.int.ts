import { describe, expect, it } from '@jest/globals';
import { contactActed } from '@switchboard/contracts/contacts/events';
import { eraseContactRpc } from '@switchboard/contracts/contacts/rpc';
import type { AuditedActor } from '@switchboard/contracts/grammar/audited-act';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { EventPublisher } from '@switchboard/nats';
import { AppClient, eventually, testServers } from '@switchboard/testing';
import { answerRpcs, bootGateway, issueKey } from './gateway-harness.js';
import { makeMember } from './people-harness.js';

const servers = testServers();

describe('an erasure of a contact', () => {
  it('is in the audit log once: by its answer or by its event, whatever ends in between, of a key as of a user', async () => {
    const asked: { readonly id: string; readonly by?: AuditedActor }[] = [];
    await answerRpcs(await (await servers.nats()).connect('contacts'), 'contacts', {
      [eraseContactRpc.subject]: (request) => {
        asked.push(request as (typeof asked)[number]);
        return {};
      },
    });
    const { database, gateway } = await bootGateway(servers);
    const member = await makeMember(database, 'OWNER');
    const client = new AppClient(gateway.url);
    await client.signIn(member);
    const { organizationId } = member;
    const { keyId, secret } = await issueKey(database, { organizationId });
    const ids = { key: newCuid(), user: newCuid(), unanswered: newCuid() };
    const asKey = { method: 'DELETE', headers: { authorization: `Bearer ${secret}` } };
    expect((await fetch(`${gateway.url}/v1/contacts/${ids.key}`, asKey)).status).toBe(204);
    expect((await client.ask('DELETE', `/app/api/contacts/${ids.user}`)).status).toBe(204);
    const [byKey, byUser] = asked.map(({ by }) => by);
    expect([byKey, byUser]).toMatchObject([{ keyId }, { userId: member.id, email: member.email }]);
    if (!byKey || !byUser) throw new Error('the gateway does not say who acts');

    const publisher = new EventPublisher(await (await servers.nats()).connect('contacts'), 'contacts');
    const { subject } = contactActed;
    const emit = async (contactId: string, by: AuditedActor): Promise<void> => {
      const data = { action: 'contact.erased', before: { id: contactId }, after: null, by };
      const of = { id: by.actId, subject, organizationId, aggregateId: contactId, sequence: null };
      const payload = JSON.stringify({ ...of, occurredAt: new Date().toISOString(), data });
      await publisher.publish({ id: by.actId, subject, payload, traceparent: null });
    };
    // Of acts that were answered, and of one whose gateway ended before it wrote.
    await emit(ids.key, byKey);
    await emit(ids.user, byUser);
    await emit(ids.unanswered, { ...byKey, actId: newCuid() });
    const erasures = await eventually(async () => {
      const log = (await client.get('/app/api/audit-log')).body?.items ?? [];
      const found = log.filter(({ action }) => action === 'contact.erased').reverse();
      return found.length > 2 && found;
    });
    const user = { type: 'user', id: member.id, email: member.email };
    const key = { type: 'key', id: keyId, email: null };
    expect(erasures).toMatchObject([
      { actor: key, before: { id: ids.key }, after: null, traceId: byKey.traceId, address: byKey.address },
      { actor: user, before: { id: ids.user }, after: null, traceId: byUser.traceId, address: byUser.address },
      { actor: key, before: { id: ids.unanswered }, after: null, traceId: byKey.traceId, address: byKey.address },
    ]);
  });
});
