import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { subscribableEvents } from '@switchboard/contracts/webhooks/http';
import { serviceNames } from '@switchboard/contracts/topology';
import { findFreePorts } from '@switchboard/embedded-servers';
import { eventually } from '@switchboard/testing/eventually';
import type { Api, ApiAnswer, ApiBody } from './api.js';
import { signedInClient } from './app-client.js';
import { CallbackSender } from './callback-faults.js';
import { ownerOf } from './people.js';
import { samplesWith, tablesWith } from './search-database.js';
import { StackDatabase } from './stack-database.js';
import type { OwnStack } from './start-everything.js';
import { templateWithVariables } from './template-with-variables.js';

const SOON = { deadlineMs: 90_000 };
/** For work of which a process was killed. */
const PATIENT = { deadlineMs: 180_000 };
const DAY_MS = 86_400_000;
/** National digits of the person who is erased, and of another one. */
const PERSON = { phone: '+14157310001', digits: '4157310001', canary: `canary-${randomBytes(8).toString('hex')}` };
const OTHER = { phone: '+14157310002', digits: '4157310002', canary: `other-${randomBytes(8).toString('hex')}` };

interface Planted {
  readonly contactId: string;
  readonly conversationId: string;
  readonly messageIds: readonly string[];
}

interface Figures {
  readonly accepted: number;
  readonly delivered: number;
  readonly read: number;
}

/** What the erasure of a contact promises, as tests; services are killed meanwhile. */
export const describeErasure = (running: () => OwnStack): void =>
  describe('a contact that is erased', () => {
    let all: OwnStack;
    let acme: Api;
    let database: StackDatabase;
    let receiver: Server;
    let person: Planted;
    let other: Planted;
    let jobs: readonly string[];
    let queuedId: string;
    let figures: Figures;
    let secondChannel: string;
    let template: ApiBody;

    beforeAll(async () => {
      all = running();
      ({ acme } = all);
      database = await StackDatabase.open(all.stack);
      receiver = await startReceiver();
      const channels = (await acme.must('GET', '/v1/channels')).items ?? [];
      secondChannel = String(channels.find(({ isDefault }) => isDefault === false)?.id);
      template = await templateWithVariables(acme);
      other = await plant(OTHER);
      person = await plant(PERSON);
      jobs = [
        // Held back by its pace, and by its time; the first has sent to both.
        await bulk({}),
        await bulk({ throttlePerHour: 1 }, [{ to: '+14157310003' }, { to: '+14157310004' }]),
        await bulk({ scheduledAt: new Date(Date.now() + DAY_MS).toISOString() }),
      ];
      await eventually(async () => (await jobOf(jobs[0])).counts['queued'] === 0, SOON);
      await eventually(async () => Number((await jobOf(jobs[1])).counts['queued']) < 4, SOON);
      await plantCallbacks();
      queuedId = await plantQueued();
    });

    afterAll(async () => {
      receiver?.close();
      await database?.close();
    });

    /** Puts the canary wherever a caller or the person can write something. */
    async function plant({ phone, canary }: typeof PERSON): Promise<Planted> {
      const made = await acme.must('POST', '/v1/contacts', { phone, name: canary, email: `${canary}@example.com` });
      const optOut = { phone, messagingChannelId: secondChannel, reason: canary };
      await acme.must('POST', '/v1/opt-outs', optOut);
      const body = { to: phone, text: canary, clientReference: canary, metadata: { note: canary } };
      const sent = await acme.ask('POST', '/v1/messages', JSON.stringify(body), { 'idempotency-key': canary });
      expect(sent.status).toBe(200);
      await all.messageWhen(sent.body?.id, 'DELIVERED', 60_000);
      // A refusal in the upstream's words, which quote the request; the answer is kept for its key.
      await all.simulator.put('knobs', { errorRate: { 131026: 1 }, quoteRequest: true });
      const refused = await acme.ask('POST', '/v1/messages', JSON.stringify(body), { 'idempotency-key': `${canary}2` });
      expect(refused.status).toBe(400);
      await all.simulator.put('knobs', { errorRate: {}, quoteRequest: false });
      await all.simulator.post('inbound', { from: phone.slice(1), name: canary, text: `${canary} said hello` });
      const conversationId = String(sent.body?.['conversationId']);
      await eventually(async () => (await textsOf(conversationId)).includes(`${canary} said hello`), SOON);
      return { contactId: String(made.id), conversationId, messageIds: [String(sent.body?.id)] };
    }

    async function bulk(more: object, first: readonly object[] = []): Promise<string> {
      const { variables } = template;
      const count = Array.isArray(variables) ? variables.length : 0;
      const valuesOf = (canary: string): unknown =>
        template['parameterFormat'] === 'NAMED'
          ? Object.fromEntries((variables as { name: string }[]).map(({ name }) => [name, canary]))
          : Array(count).fill(canary);
      const recipientOf = ({ phone, canary }: typeof PERSON): object => ({
        to: phone,
        variables: valuesOf(canary),
        clientReference: canary,
        metadata: { note: canary },
      });
      const plain = first.map((one) => ({ ...one, variables: valuesOf('plain') }));
      const recipients = [...plain, recipientOf(PERSON), recipientOf(OTHER)];
      const job = await acme.must('POST', '/v1/templates/send', { templateId: template.id, recipients, ...more });
      return String(job.id);
    }

    const jobOf = async (id: string | undefined): Promise<{ readonly counts: Record<string, number> }> =>
      (await acme.must('GET', `/v1/templates/send/${id}`)) as never;
    const textsOf = async (conversationId: string): Promise<unknown[]> =>
      ((await acme.must('GET', `/v1/conversations/${conversationId}/messages?limit=100`)).items ?? []).map(
        ({ text }) => text,
      );

    /** A failure in the provider's words, and items in no shape that was agreed. */
    async function plantCallbacks(): Promise<void> {
      const callbacks = await CallbackSender.through(all.stack.devJson.simulatorUrl ?? '');
      for (const { phone, canary } of [PERSON, OTHER]) {
        const value = {
          metadata: { phone_number_id: '1' },
          statuses: [{ recipient_id: phone.slice(1), note: canary }],
        };
        const entry = [{ id: '1', changes: [{ field: 'messages', value }] }];
        expect(await callbacks.send(JSON.stringify({ object: 'x', entry }))).toBe(200);
      }
    }

    /** A message that waits to be sent again. */
    async function plantQueued(): Promise<string> {
      await all.simulator.put('knobs', { errorRate: { 131016: 1 } });
      const sent = await acme.send(PERSON.phone, `${PERSON.canary} waits`);
      expect([sent.status, sent.body?.upstreamMessageId]).toEqual([200, null]);
      return String(sent.body?.id);
    }

    /** Registers it, answers with what it gets, so that attempts hold it; and one that never answers, whose deliveries wait. */
    async function startReceiver(): Promise<Server> {
      const [port = 0, dead = 0] = await findFreePorts(2);
      const server = createServer((request, response) => void request.pipe(response));
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      const owner = await signedInClient(all.baseUrl, ownerOf(all.stack));
      for (const one of [port, dead]) {
        const { status } = await owner.post('/app/api/webhooks', {
          url: `http://127.0.0.1:${one}/`,
          events: subscribableEvents,
        });
        expect(status).toBe(201);
      }
      return server;
    }

    const erase = (): Promise<ApiAnswer> => acme.ask('DELETE', `/v1/contacts/${person.contactId}`);
    const pending = async (): Promise<number> => {
      const parts = serviceNames.map((name) => `SELECT count(*) FROM ${name}.erasure WHERE due_at IS NOT NULL`);
      const [row] = await database.query<{ count: number }>(
        `SELECT (${parts.join(') + (')})::int + (SELECT count(*) FROM contacts.erased_number)::int AS count`,
      );
      return Number(row?.count ?? -1);
    };
    /** The figures, once they are what the messages add up to, erased ones too. */
    const settledFigures = async (): Promise<Figures> =>
      eventually(async () => {
        const { totals } = await acme.must('GET', '/v1/analytics/delivery');
        const { accepted, delivered, read } = totals as unknown as Figures;
        const [stored] = await database.query<Figures>(
          `SELECT count(*)::int AS accepted, count(*) FILTER (WHERE status IN ('DELIVERED', 'READ'))::int AS delivered,
           count(*) FILTER (WHERE status = 'READ')::int AS read
         FROM messaging.message WHERE direction = 'OUTBOUND'
           AND organization_id = (SELECT organization_id FROM messaging.conversation WHERE id = $1)`,
          [other.conversationId],
        );
        const figures = { accepted, delivered, read };
        return JSON.stringify(figures) === JSON.stringify(stored) && figures;
      }, SOON);

    it('was everywhere before', async () => {
      const names = (await tablesWith(database, [PERSON.canary, PERSON.digits])).map((name) => name.replace(/:.*/, ''));
      expect(names).toEqual(
        expect.arrayContaining([
          'contacts.contact',
          'contacts.contact_alias',
          'contacts.opt_out',
          'contacts.outbox',
          'gateway.outbox',
          'messaging.bulk_item',
          'messaging.contact',
          'messaging.contact_phone',
          'messaging.dispatch',
          'messaging.idempotency_key',
          'messaging.message',
          'messaging.outbox',
          'templates.recipient',
          'webhooks.attempt',
          'webhooks.event',
        ]),
      );
      figures = await settledFigures();
    });

    it('is in no sample that the planner keeps, even while it is everywhere else', async () => {
      // As an administrator may: parents of partitions too, which autovacuum leaves out.
      await database.query('ANALYZE');
      const people = [PERSON, OTHER].flatMap(({ canary, digits }) => [canary, digits]);
      expect(await samplesWith(database, people)).toEqual([]);
      // Shows that samples were there to look through.
      expect(await samplesWith(database, [person.contactId])).not.toEqual([]);
    });

    it('is gone from every table, sample and log within a minute of work, though services are killed meanwhile', async () => {
      expect((await erase()).status).toBe(204);
      const names = all.stack.devJson.processes.map(({ name }) => name);
      const killed = names
        .filter((name) => /^(messaging|templates|webhooks|contacts)/.test(name))
        .map((name) => all.stack.process(name));
      expect(killed.length).toBeGreaterThan(3);
      await Promise.all(killed.map((one) => one.kill('SIGKILL')));
      await Promise.all(killed.map((one) => one.restarted()));
      await eventually(async () => (await pending()) === 0, PATIENT);
      expect(await tablesWith(database, [PERSON.canary, PERSON.digits])).toEqual([]);
      expect(await samplesWith(database, [PERSON.canary, PERSON.digits])).toEqual([]);
      const logs = join(all.dataDir, 'logs');
      for (const file of await readdir(logs)) {
        const text = await readFile(join(logs, file), 'utf8');
        expect([file, text.includes(PERSON.canary), text.includes(PERSON.digits)]).toEqual([file, false, false]);
      }
    });

    it('is 404, its conversation shows no number, and its messages keep ids, times and states', async () => {
      expect((await acme.get(`/v1/contacts/${person.contactId}`)).status).toBe(404);
      expect((await erase()).status).toBe(404);
      const conversation = await acme.must('GET', `/v1/conversations/${person.conversationId}`);
      expect(conversation['contact']).toEqual({ id: person.contactId, name: null, phone: '', messagingId: '' });
      const message = await acme.must('GET', `/v1/messages/${person.messageIds[0]}`);
      expect(message).toMatchObject({ status: 'DELIVERED', text: null, clientReference: null, metadata: {} });
      expect(message['deliveredAt']).toEqual(expect.any(String));
      // What was under way when its process was killed is refused when its lease has ended.
      const queued = await all.messageWhen(queuedId, 'FAILED', PATIENT.deadlineMs);
      const error = { code: 'ERASED', message: 'The contact was erased before the message was handed over' };
      expect(queued).toMatchObject({ status: 'FAILED', error, text: null });
    });

    it('gets nothing of a bulk send that had not begun, and the counts still sum to the total', async () => {
      for (const [index, id] of jobs.entries()) {
        const { items = [] } = await acme.must('GET', `/v1/templates/send/${id}/recipients?limit=100`);
        const [mine, others] = items.slice(-2);
        expect(mine).toMatchObject({ to: '', ...(index > 0 && { status: 'SKIPPED', reason: 'ERASED' }) });
        expect(others).toMatchObject({ to: OTHER.phone });
        const { counts } = await jobOf(id);
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(items.length);
      }
    });

    it('takes nothing of another contact along, and the figures stay', async () => {
      expect(await textsOf(other.conversationId)).toEqual(expect.arrayContaining([OTHER.canary]));
      expect((await acme.must('GET', `/v1/contacts/${other.contactId}`))['name']).toBe(OTHER.canary);
      const names = (await tablesWith(database, [OTHER.canary])).map((name) => name.replace(/:.*/, ''));
      expect(names).toEqual(expect.arrayContaining(['messaging.message', 'templates.recipient', 'webhooks.event']));
      expect((await settledFigures()).accepted).toBeGreaterThanOrEqual(figures.accepted);
    });

    it('leaves its opt-out to whoever has the number next', async () => {
      await all.simulator.put('knobs', { errorRate: {} });
      const refused = await acme.send(PERSON.phone, 'hello again', { messagingChannelId: secondChannel });
      expect([refused.status, refused.body?.error?.code]).toEqual([403, 'CONTACT_OPTED_OUT']);
      const sent = await acme.send(PERSON.phone, 'hello again');
      expect(sent.status).toBe(200);
      expect(sent.body?.['contactId']).not.toBe(person.contactId);
    });
  });
