import { beforeAll, describe, expect, it } from '@jest/globals';
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
