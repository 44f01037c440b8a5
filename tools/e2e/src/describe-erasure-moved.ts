import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@switchboard/contracts/topology';
import { eventually } from '@switchboard/testing/eventually';
import type { Api, ApiBody } from './api.js';
import { samplesWith, tablesWith } from './search-database.js';
import { StackDatabase } from './stack-database.js';
import type { OwnStack } from './start-everything.js';
import { templateWithVariables } from './template-with-variables.js';

const SOON = { deadlineMs: 90_000 };
const PATIENT = { deadlineMs: 180_000 };
const TWO_WEEKS_MS = 14 * 86_400_000;

interface Person {
  readonly canary: string;
  /** National digits. */
  readonly first: string;
  readonly next: string;
}

interface Planted {
  readonly contactId: string;
  readonly conversationId: string;
  /** One that was sent, and one that waits for its time. */
  readonly jobs: readonly [string, string];
}

const person = (first: string, next: string): Person => ({
  canary: `canary-${randomBytes(8).toString('hex')}`,
  first,
  next,
});
/** Whose number changed, alone; to one that had a contact; and whose former number is somebody else's by now. */
const MOVED = person('4157320001', '4157320002');
const MERGED = person('4157320003', '4157320004');
const FOLLOWED = person('4157320005', '4157320006');
const STRANGER = { ...FOLLOWED, canary: `stranger-${randomBytes(8).toString('hex')}` };

/** What the erasure of a contact promises whose number changed before, as tests. */
export const describeErasureMoved = (running: () => OwnStack): void =>
  describe('a contact whose number changed before it was erased', () => {
    let all: OwnStack;
    let acme: Api;
    let database: StackDatabase;
    let template: ApiBody;
    let erased: readonly Planted[];
    let stranger: Planted;
    let used: number;

    beforeAll(async () => {
      all = running();
      ({ acme } = all);
      database = await StackDatabase.open(all.stack);
      template = await templateWithVariables(acme);
      const moved = await plant(MOVED);
      const merged = await plant(MERGED);
      const followed = await plant(FOLLOWED);
      await acme.must('POST', '/v1/contacts', { phone: `+1${MERGED.next}` });
      for (const one of [MOVED, MERGED, FOLLOWED]) await move(one);
      stranger = await plant(STRANGER);
      erased = [moved, merged, followed];
      ({ used } = await database.quota(await organization()));
    });

    afterAll(async () => {
      await database?.close();
    });

    /** Puts the canary wherever a caller or the person can write something. */
    async function plant({ first, canary }: Person): Promise<Planted> {
      const sent = await acme.must('POST', '/v1/messages', { to: `+1${first}`, text: canary, clientReference: canary });
      await all.messageWhen(sent.id, 'DELIVERED', SOON.deadlineMs);
      const text = `${canary} said hello`;
      await all.simulator.post('inbound', { from: `1${first}`, name: canary, text });
      const conversationId = String(sent['conversationId']);
      await eventually(async () => (await textsOf(conversationId)).includes(text), SOON);
      const jobs = [
        await bulk(`+1${first}`, canary, {}),
        await bulk(`+1${first}`, canary, { scheduledAt: new Date(Date.now() + TWO_WEEKS_MS).toISOString() }),
      ] as const;
      await eventually(async () => (await recipientOf(jobs[0]))?.['status'] === 'DELIVERED', SOON);
      return { contactId: String(sent['contactId']), conversationId, jobs };
    }

    async function bulk(to: string, canary: string, more: object): Promise<string> {
      const variables = template['variables'] as { name: string }[];
      const values =
        template['parameterFormat'] === 'NAMED'
          ? Object.fromEntries(variables.map(({ name }) => [name, canary]))
          : variables.map(() => canary);
      const recipients = [{ to, variables: values, clientReference: canary, metadata: { note: canary } }];
      return String(
        (await acme.must('POST', '/v1/templates/send', { templateId: template.id, recipients, ...more })).id,
      );
    }

    async function move({ first, next }: Person): Promise<void> {
      await all.simulator.post('inbound', { from: `1${first}`, newPhone: `1${next}` });
      const contactsOf = async (digits: string): Promise<number> =>
        (await acme.must('GET', `/v1/contacts?phone=%2B1${digits}`)).items?.length ?? -1;
      await eventually(async () => (await contactsOf(first)) === 0 && (await contactsOf(next)) === 1, SOON);
    }

    const recipientOf = async (jobId: string): Promise<ApiBody | undefined> =>
      (await acme.must('GET', `/v1/templates/send/${jobId}/recipients`)).items?.[0];
    const textsOf = async (conversationId: string): Promise<unknown[]> =>
      ((await acme.must('GET', `/v1/conversations/${conversationId}/messages?limit=100`)).items ?? []).map(
        ({ text }) => text,
      );
    const organization = async (): Promise<string> => {
      const sql = 'SELECT organization_id AS id FROM messaging.conversation WHERE id = $1';
      return (await database.query<{ id: string }>(sql, [stranger.conversationId]))[0]?.id ?? '';
    };
    const pending = async (): Promise<number> => {
      const parts = serviceNames.map((name) => `SELECT count(*) FROM ${name}.erasure WHERE due_at IS NOT NULL`);
      const [row] = await database.query<{ count: number }>(
        `SELECT (${parts.join(') + (')})::int + (SELECT count(*) FROM contacts.erased_number)::int AS count`,
      );
      return Number(row?.count ?? -1);
    };

    it('is found by what it had before, and leaves neither number nor text anywhere', async () => {
      const [moved, merged] = await Promise.all(
        erased.map(({ contactId }) => acme.must('GET', `/v1/contacts/${contactId}`)),
      );
      expect([moved?.['phone'], merged?.['phone']]).toEqual([`+1${MOVED.next}`, `+1${MERGED.first}`]);
      const texts = [
        MOVED.canary,
        MOVED.first,
        MOVED.next,
        MERGED.canary,
        MERGED.first,
        FOLLOWED.canary,
        FOLLOWED.next,
      ];
      const before = (await tablesWith(database, texts)).map((name) => name.replace(/:.*/, ''));
      const holders = ['contacts.former_alias', 'gateway.outbox', 'messaging.bulk_item', 'templates.recipient'];
      expect(before).toEqual(expect.arrayContaining(holders));
      await database.query('ANALYZE');
      for (const { contactId } of erased) await acme.must('DELETE', `/v1/contacts/${contactId}`);
      await eventually(async () => (await pending()) === 0, PATIENT);
      expect(await tablesWith(database, texts)).toEqual([]);
      expect(await samplesWith(database, texts)).toEqual([]);
    });

    it('gets nothing of a bulk send that had not begun, whose quota is given back', async () => {
      for (const { jobs } of erased) {
        expect(await recipientOf(jobs[0])).toMatchObject({ to: '', status: 'DELIVERED' });
        expect(await recipientOf(jobs[1])).toMatchObject({ to: '', status: 'SKIPPED', reason: 'ERASED' });
      }
      const organizationId = await organization();
      await eventually(async () => (await database.quota(organizationId)).used === used - erased.length, SOON);
    });

    it('takes nothing of whoever has its former number since then', async () => {
      const [sent, waiting] = stranger.jobs;
      const to = `+1${STRANGER.first}`;
      expect(await recipientOf(sent)).toMatchObject({ to, status: 'DELIVERED' });
      expect(await recipientOf(waiting)).toMatchObject({ to, status: 'QUEUED' });
      expect(await acme.must('GET', `/v1/contacts/${stranger.contactId}`)).toMatchObject({
        phone: to,
        name: STRANGER.canary,
      });
      expect(await textsOf(stranger.conversationId)).toContain(`${STRANGER.canary} said hello`);
      const holders = ['gateway.outbox', 'messaging.bulk_item', 'messaging.message', 'templates.recipient'];
      const names = (await tablesWith(database, [STRANGER.canary, STRANGER.first])).map((name) =>
        name.replace(/:.*/, ''),
      );
      expect(names).toEqual(expect.arrayContaining(holders));
      const merged = await acme.must('GET', `/v1/contacts?phone=%2B1${MERGED.next}`);
      expect(merged.items).toHaveLength(1);
    });
  });
