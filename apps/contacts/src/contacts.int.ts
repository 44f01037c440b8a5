import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { resolveContactsRpc, type ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { messagingContactsConsumer } from '@switchboard/contracts/topology';
import { PullConsumer, RpcClient } from '@switchboard/nats';
import { dumpSchema } from '@switchboard/postgres';
import { createLog, startService } from '@switchboard/service';
import { eventually, goldenFile, testServers } from '@switchboard/testing';
import { contactsConfig } from './contacts.config.js';
import { ContactsModule } from './contacts.module.js';
import { migrations } from './migrations/index.js';

const servers = testServers();
const sighting = (phone: string, more: Partial<ContactSighting> = {}): ContactSighting => ({
  phone,
  profileName: null,
  messagingId: null,
  ...more,
});

describe('the contacts service', () => {
  let client: RpcClient;
  const heard: EventEnvelope[] = [];
  const alice = systemPrincipal('corganization1', 'test');
  const bob = systemPrincipal('corganization2', 'test');

  beforeAll(async () => {
    const prepared = await servers.serviceDatabase('contacts', migrations);
    const nats = await servers.nats();
    const config = contactsConfig({
      DATABASE_URL: prepared.url,
      NATS_URL: nats.url,
      NATS_USER: 'contacts',
      NATS_PASSWORD: nats.password,
    });
    // Two replicas, each with a pool of its own.
    for (const log of [createLog('contacts'), createLog('contacts')]) {
      const running = await startService({ service: 'contacts', config, log, module: ContactsModule });
      servers.onEnd(running.stop);
      const ready = await fetch(`${running.url}/health/ready`);
      expect(await ready.json()).toEqual({ ok: true, checks: { database: 'ok', nats: 'ok', service: 'ok' } });
    }
    const messaging = await nats.connect('messaging');
    client = new RpcClient(messaging);
    const consumer = new PullConsumer({
      connection: messaging,
      consumer: messagingContactsConsumer,
      batchMax: 500,
      handle: async (events) => events.map(({ envelope }) => (heard.push(envelope), { ack: true })),
      onMalformed: (_subject, error) => Promise.reject(error),
      onError: () => undefined,
    });
    consumer.start();
    servers.onEnd(() => consumer.stop());
  });

  it('answers one contact per sighting in order, in every written form of a phone, and tells each change once', async () => {
    const first = await client.call(resolveContactsRpc, alice, {
      sightings: [sighting('+525512345678', { profileName: ' Ana ' }), sighting('+12015550123')],
    });
    const again = await client.call(resolveContactsRpc, alice, {
      sightings: [sighting('+12015550123'), sighting('+5215512345678', { messagingId: '5215512345678' })],
    });
    const other = await client.call(resolveContactsRpc, bob, { sightings: [sighting('+12015550123')] });

    expect(
      first.contacts.map(({ phone, name, messagingId, version }) => ({ phone, name, messagingId, version })),
    ).toEqual([
      { phone: '+525512345678', name: 'Ana', messagingId: '525512345678', version: 1 },
      { phone: '+12015550123', name: null, messagingId: '12015550123', version: 1 },
    ]);
    expect(again.contacts).toEqual([
      first.contacts[1],
      { ...first.contacts[0], messagingId: '5215512345678', version: 2 },
    ]);
    expect(other.contacts[0]?.id).not.toBe(first.contacts[1]?.id);

    const told = await eventually(() => heard.length >= 4 && [...heard]);
    const mexican = told.filter(({ aggregateId }) => aggregateId === first.contacts[0]?.id);
    expect(mexican.map(({ subject, sequence, data }) => ({ subject, sequence, data }))).toEqual([
      { subject: contactChanged.subject, sequence: 1, data: { contact: first.contacts[0] } },
      { subject: contactChanged.subject, sequence: 2, data: { contact: again.contacts[1] } },
    ]);
    expect(told.map(({ organizationId }) => organizationId).sort()).toEqual([
      ...Array<string>(3).fill(alice.organizationId),
      bob.organizationId,
    ]);
  });

  it.each([
    ['no sightings', [], '`sightings` must be an array of 1 to 200'],
    ['too many', Array.from({ length: 201 }, () => sighting('+12015550123')), '1 to 200'],
    ['a phone that is not E.164', [sighting('+12015550123'), sighting('2015550124')], '`sightings[1].phone`'],
    ['an id with a NUL', [sighting('+12015550123', { messagingId: 'a\0' })], '`sightings[0].messagingId`'],
  ])('refuses %s with VALIDATION_FAILED, naming the field', async (_what, sightings, message) => {
    const refused = client.call(resolveContactsRpc, alice, { sightings });
    await expect(refused).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining(message),
    });
  });

  it('has the schema that schema.sql shows', async () => {
    const prepared = await servers.serviceDatabase('contacts', migrations);
    const { dataSource } = await prepared.superuser();
    const actual = await dumpSchema(dataSource, 'contacts');
    expect(actual).toBe(await goldenFile(join(import.meta.dirname, '..', 'schema.sql'), actual));
  });
});
