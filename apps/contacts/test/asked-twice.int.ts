import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createOptOutRpc,
  deleteOptOutRpc,
  eraseContactRpc,
  upsertContactRpc,
  type CreateOptOutRequest,
} from '@switchboard/contracts/contacts/rpc';
import type { AuditedActor } from '@switchboard/contracts/grammar/audited-act';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { organizationOf } from './organization.js';
import { startContacts, type RunningContacts } from './running-contacts.js';

const servers = testServers();
let running: RunningContacts;
beforeAll(async () => void (running = await startContacts(servers)));

const organization = (): ReturnType<typeof organizationOf> => organizationOf(running);
const subjectsOf = async ({ events }: Pick<ReturnType<typeof organizationOf>, 'events'>): Promise<string[]> =>
  (await events()).map(({ subject }) => subject.replace(/^contacts\.|\.v1$/g, ''));

describe('an erasure', () => {
  const by = (): AuditedActor => ({
    actId: newCuid(),
    keyId: 'ckey0001',
    address: '192.0.2.1',
    traceId: 'a'.repeat(32),
  });

  it('is answered as the first time when its act is asked for again, and 404 for another act', async () => {
    const { upsert, erase } = organization();
    const { id } = (await upsert({ phone: '+12015550101' })).contact;
    const act = by();
    expect([await erase(id, act), await erase(id, act)]).toEqual([{}, {}]);
    await expect(erase(id, by())).rejects.toMatchObject({ code: 'CONTACT_NOT_FOUND' });
    await expect(erase(id)).rejects.toMatchObject({ code: 'CONTACT_NOT_FOUND' });
  });

  it('is done once, and answered alike, by tries of one act that meet', async () => {
    const own = organization();
    const { id } = (await own.upsert({ phone: '+12015550101' })).contact;
    const act = by();
    const tries = Array.from({ length: 8 }, () => own.erase(id, act));
    expect(await Promise.all(tries)).toEqual(tries.map(() => ({})));
    expect(await subjectsOf(own)).toEqual(['contact.changed', 'contact.erased', 'contact.acted']);
  });

  it('is emitted for the audit log under the id of its act, and not for a caller of the release before', async () => {
    const { upsert, erase, events, organizationId } = organization();
    const [one, other] = [await upsert({ phone: '+12015550101' }), await upsert({ phone: '+12015550102' })];
    const act = by();
    await erase(one.contact.id, act);
    await erase(other.contact.id);
    const acted = (await events()).filter(({ subject }) => subject.includes('acted'));
    const { id } = one.contact;
    const data = { action: 'contact.erased', before: { id }, after: null, by: act };
    expect(acted).toMatchObject([{ id: act.actId, organizationId, aggregateId: id, data }]);
  });
});

describe('a call that is asked again because its answer was lost', () => {
  const nothing = { contactId: null, messagingChannelId: null, reason: null };

  it('makes one contact, and answers that it is new; another call finds it', async () => {
    const own = organization();
    const upsert = (callId: string) =>
      running.gateway.call(upsertContactRpc, own.principal, { phone: '+12015550101', name: 'Ana' }, { callId });
    const callId = newCuid();
    const tries = await Promise.all([upsert(callId), upsert(callId), upsert(callId)]);
    const again = await upsert(callId);
    expect([...tries, again].map(({ isNew }) => isNew)).toEqual([true, true, true, true]);
    expect(new Set([...tries, again].map(({ contact }) => contact.id)).size).toBe(1);
    expect(await upsert(newCuid())).toMatchObject({ isNew: false, contact: { id: again.contact.id } });
    expect(await subjectsOf(own)).toEqual(['contact.changed']);
  });

  it('changes a contact that was there, and answers that it is not new', async () => {
    const own = organization();
    const { contact } = await own.upsert({ phone: '+12015550101' });
    const [request, limits] = [{ phone: '+12015550101', name: 'Ana' }, { callId: newCuid() }];
    for (let tries = 0; tries < 2; tries++) {
      const answer = await running.gateway.call(upsertContactRpc, own.principal, request, limits);
      expect(answer).toMatchObject({ isNew: false, contact: { id: contact.id, name: 'Ana' } });
    }
    expect(await subjectsOf(own)).toEqual(['contact.changed', 'contact.changed']);
  });

  it('makes another contact where its own was erased meanwhile', async () => {
    const { principal } = organization();
    const [request, limits] = [{ phone: '+12015550101' }, { callId: newCuid() }];
    const first = await running.gateway.call(upsertContactRpc, principal, request, limits);
    await running.gateway.call(eraseContactRpc, principal, { id: first.contact.id });
    const second = await running.gateway.call(upsertContactRpc, principal, request, limits);
    expect(second.isNew).toBe(true);
    expect(second.contact.id).not.toBe(first.contact.id);
  });

  it('records one opt-out, and answers that it is new; another call finds it', async () => {
    const own = organization();
    const request: CreateOptOutRequest = { ...nothing, phone: '+12015550101' };
    const optOut = (callId: string) => running.gateway.call(createOptOutRpc, own.principal, request, { callId });
    const callId = newCuid();
    const [first, second] = [await optOut(callId), await optOut(callId)];
    expect([first.isNew, second]).toEqual([true, first]);
    expect(await optOut(newCuid())).toEqual({ ...first, isNew: false });
    expect((await own.optOuts()).items).toHaveLength(1);
  });

  it('does not make its opt-out again that was removed meanwhile, where a try of it comes late', async () => {
    const own = organization();
    const request: CreateOptOutRequest = { ...nothing, phone: '+12015550101' };
    const limits = { callId: newCuid() };
    const { optOut } = await running.gateway.call(createOptOutRpc, own.principal, request, limits);
    await running.gateway.call(deleteOptOutRpc, own.principal, { id: optOut.id });
    const late = running.unconfirmed(() => running.gateway.call(createOptOutRpc, own.principal, request, limits));
    expect(await late).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect((await own.optOuts()).items).toEqual([]);
  });

  it('removes an opt-out once, and answers so; another call finds none', async () => {
    const own = organization();
    const { id } = (await own.optOut({ phone: '+12015550101' })).optOut;
    const remove = (callId: string) => running.gateway.call(deleteOptOutRpc, own.principal, { id }, { callId });
    const callId = newCuid();
    expect([await remove(callId), await remove(callId)]).toEqual([{}, {}]);
    await expect(remove(newCuid())).rejects.toMatchObject({ code: 'OPT_OUT_NOT_FOUND' });
    expect((await subjectsOf(own)).filter((subject) => subject === 'opt-out.deleted')).toHaveLength(1);
  });
});
