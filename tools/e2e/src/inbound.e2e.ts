import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import pg from 'pg';
import type { Api, ApiAnswer, ApiBody, Simulator } from './api.js';
import { CallbackSender, deepJson, faultyForms } from './callback-faults.js';
import { ConsumerBacklog } from './consumer-backlog.js';
import { eachConcurrently } from './each-concurrently.js';
import { recordedInbound } from './recorded-inbound.js';
import { parseScrape, valuesOf } from './scrape.js';
import { startUsable, type OwnStack } from './start-everything.js';

describe('what the upstream brings', () => {
  let all: OwnStack;
  let acme: Api;
  let simulator: Simulator;
  let callbacks: CallbackSender;
  let database: pg.Client;
  let backlog: ConsumerBacklog;
  /** Acme's channels, the default one first. */
  let channels: readonly { readonly id: string; readonly phone: string; readonly isDefault: boolean }[];

  beforeAll(async () => {
    all = await startUsable();
    ({ acme, simulator } = all);
    const { simulatorUrl = '', databaseUrl, natsUrl, organizations } = all.stack.devJson;
    callbacks = await CallbackSender.through(simulatorUrl);
    database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    backlog = await ConsumerBacklog.of(natsUrl);
    channels = [...(organizations?.[0]?.channels ?? [])].sort((one) => (one.isDefault ? -1 : 1));
    expect(channels.length).toBe(2);
  });

  afterAll(async () => {
    await database?.end();
    await backlog?.close();
    await all?.end();
  });

  /** The contact of a phone, once there is one that fits. */
  const contactWhen = (phone: string, fits: (contact: ApiBody) => unknown = () => true): Promise<ApiBody> =>
    eventually(async () => {
      const { body } = await acme.get(`/v1/contacts?phone=${encodeURIComponent(phone)}`);
      const contact = body?.items?.[0];
      return contact && fits(contact) ? contact : undefined;
    });
  const conversationsOf = async (contactId: unknown): Promise<readonly ApiBody[]> =>
    (await acme.get(`/v1/conversations?contactId=${String(contactId)}`)).body?.items ?? [];
  /** A conversation's messages, oldest first, once there are so many. */
  const messagesWhen = (contactId: unknown, count: number): Promise<readonly ApiBody[]> =>
    eventually(async () => {
      const [conversation] = await conversationsOf(contactId);
      if (!conversation) return undefined;
      const { body } = await acme.get(`/v1/conversations/${conversation.id}/messages?limit=100`);
      return body?.items?.length === count ? body.items.toReversed() : undefined;
    });
  /** Awaits a text of a contact, on whatever channel. */
  const textWhen = (contactId: unknown, expected: string): Promise<ApiBody> =>
    eventually(async () => {
      const paths = (await conversationsOf(contactId)).map(({ id }) => `/v1/conversations/${id}/messages`);
      const pages = await Promise.all(paths.map((path) => acme.get(path)));
      return pages.flatMap(({ body }) => body?.items ?? []).find(({ text }) => text === expected);
    });
  const optOutsOf = async (contact: ApiBody): Promise<unknown[]> => {
    const { body } = await acme.get(`/v1/opt-outs?contactId=${contact.id}`);
    return (body?.items ?? []).map((one) => [one['source'], one['messagingChannelId']]);
  };
  const inbound = (body: object): Promise<unknown> => simulator.post('inbound', body);
  const rows = async (sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
    (await database.query<Record<string, unknown>>(sql, values)).rows;

  it('is shown once, whatever its type and however often and in whatever order it comes', async () => {
    const from = '4915123450001';
    const messages = recordedInbound.map(({ message }, index) => ({
      id: `wamid.recorded.${index}`,
      timestamp: String(1_749_416_383 + index),
      ...message,
    }));
    // Out of order, and twice.
    const brought = [...messages.toReversed(), ...messages];
    await inbound({ from, name: 'Ada', messages: brought.slice(0, 7) });
    await inbound({ from, name: 'Ada', messages: brought.slice(0, 7) });
    await inbound({ from, name: 'Ada', messages: brought });
    const contact = await contactWhen(`+${from}`, ({ name }) => name === 'Ada');
    const shown = await messagesWhen(contact.id, messages.length);
    const idOf = ({ upstreamMessageId }: ApiBody): string => String(upstreamMessageId);
    expect(shown.map(idOf).sort()).toEqual(messages.map(({ id }) => id).sort());
    for (const [index, { shown: expected }] of recordedInbound.entries()) {
      const message = shown.find((one) => idOf(one) === `wamid.recorded.${index}`);
      expect(message).toMatchObject({ ...expected, direction: 'INBOUND', status: 'RECEIVED', error: null });
    }
    expect((await conversationsOf(contact.id))[0]?.['lastMessageAt']).toBe(shown.at(-1)?.['createdAt']);
  });

  it('from a sender without a number makes a contact without one, which keeps its conversation', async () => {
    await inbound({ userId: 'US.13491208655302741918', name: 'Nemo', text: 'Hi' });
    await inbound({ userId: 'US.13491208655302741918', name: 'Nemo', type: 'image' });
    const found = await eventually(async () => {
      const { body } = await acme.get('/v1/contacts?search=Nemo');
      return body?.items?.[0];
    });
    expect(found).toMatchObject({ phone: '', messagingId: 'US.13491208655302741918', name: 'Nemo' });
    await messagesWhen(found.id, 2);
    const [conversation, ...others] = await conversationsOf(found.id);
    expect(others).toEqual([]);
    expect(conversation?.['contact']).toMatchObject({ id: found.id, phone: '', name: 'Nemo' });
    // The number comes to be known; it is the same person.
    await inbound({ userId: 'US.13491208655302741918', from: '4915123450002', text: 'Hi again' });
    expect((await contactWhen('+4915123450002')).id).toBe(found.id);
    await messagesWhen(found.id, 3);
  });

  it('opts out by a keyword on its channel, and in again, but for what the API recorded', async () => {
    const phone = '+4915123450003';
    const [first, second] = channels;
    const say = (text: string, channel = first): Promise<unknown> =>
      inbound({ from: phone, text, displayPhone: channel?.phone });
    const send = async (channel = first): Promise<string> => codeOf(await sendOn(channel));
    const sendOn = (channel = first): Promise<ApiAnswer> => acme.send(phone, 'Hi', { messagingChannelId: channel?.id });

    await say('STOP this terrible bill');
    await messagesWhen((await contactWhen(phone)).id, 1);
    expect(await send()).toBe('200');
    await say(' ¡stop! 🛑');
    const stopped = await contactWhen(phone, (one) => (one['optedOutChannelIds'] as string[]).length === 1);
    // Shown means suppressed: the message, the opt-out and what sends are judged by are there together.
    const said = await textWhen(stopped.id, ' ¡stop! 🛑');
    expect([said['type'], await send()]).toEqual(['TEXT', 'CONTACT_OPTED_OUT']);
    expect(stopped).toMatchObject({ isOptedOut: false, optedOutChannelIds: [first?.id] });
    expect(await optOutsOf(stopped)).toEqual([['KEYWORD', first?.id]]);
    expect(await send(second)).toBe('200');

    await inbound({ from: phone, displayPhone: second?.phone, button: { payload: 'STOP', text: 'No more of these' } });
    const everywhere = await contactWhen(phone, ({ isOptedOut }) => isOptedOut);
    await textWhen(everywhere.id, 'No more of these');
    expect([await send(), await send(second)]).toEqual(['CONTACT_OPTED_OUT', 'CONTACT_OPTED_OUT']);
    await say('STOP', second);
    const created =
      "SELECT payload FROM contacts.outbox WHERE subject = 'contacts.opt-out.created.v1' AND aggregate_id = $1";
    expect(await rows(created, [everywhere.id])).toHaveLength(2);

    await say('Start');
    await contactWhen(phone, ({ isOptedOut }) => !isOptedOut);
    await eventually(async () => (await send()) === '200');
    expect(await optOutsOf(everywhere)).toEqual([['KEYWORD', second?.id]]);
    await say('UNSTOP', second);
    await contactWhen(phone, (one) => (one['optedOutChannelIds'] as string[]).length === 0);
    const optOut = JSON.stringify({ phone, messagingChannelId: first?.id });
    expect((await acme.ask('POST', '/v1/opt-outs', optOut)).status).toBe(201);
    await say('SUBSCRIBE');
    await say('that was all');
    await eventually(async () => (await rows(TEXT, ['that was all'])).length === 1);
    expect(await optOutsOf(everywhere)).toEqual([['API', first?.id]]);
    expect(await send()).toBe('CONTACT_OPTED_OUT');
  });

  it('of the upstream’s own preferences and refusals is an opt-out of source UPSTREAM, removed likewise', async () => {
    const phone = '+4915123450004';
    const [first] = channels;
    const optedOut = (one: ApiBody): boolean => (one['optedOutChannelIds'] as string[]).length > 0;
    const prefer = (value: string): Promise<unknown> =>
      simulator.post('preferences', { from: phone, name: 'Bo', value });
    await prefer('stop');
    const contact = await contactWhen(phone, optedOut);
    expect([contact['name'], await optOutsOf(contact)]).toEqual(['Bo', [['UPSTREAM', first?.id]]]);
    await eventually(async () => codeOf(await acme.send(phone, 'Hi')) === 'CONTACT_OPTED_OUT');
    await prefer('resume');
    await contactWhen(phone, (one) => !optedOut(one));
    await eventually(async () => (await acme.send(phone, 'Hi')).status === 200);

    // Reported later, in a callback.
    const { body } = await acme.send('+4915123450005', 'Hi');
    await simulator.post('statuses', { reference: body?.id, status: 'failed', errors: [{ code: 131050 }] });
    expect(await optOutsOf(await contactWhen('+4915123450005', optedOut))).toEqual([['UPSTREAM', first?.id]]);
    await inbound({ from: '4915123450005', text: 'start' });
    await contactWhen('+4915123450005', (one) => !optedOut(one));
    // Reported at once, in the answer.
    expect(codeOf(await acme.send('+12015550105', 'Hi'))).toBe('CONTACT_OPTED_OUT');
    expect(await optOutsOf(await contactWhen('+12015550105', optedOut))).toEqual([['UPSTREAM', first?.id]]);
  });

  it('of a changed number moves the contact with its opt-outs, and makes no message', async () => {
    await inbound({ from: '4915123450006', name: 'Cy', text: 'stop' });
    const before = await contactWhen('+4915123450006', (one) => (one['optedOutChannelIds'] as string[]).length > 0);
    await inbound({ from: '4915123450006', newPhone: '4915123450007' });
    const after = await contactWhen('+4915123450007');
    expect(after).toMatchObject({ id: before.id, name: 'Cy', optedOutChannelIds: before['optedOutChannelIds'] });
    await eventually(async () => codeOf(await acme.send('+4915123450007', 'Hi')) === 'CONTACT_OPTED_OUT');
    await inbound({ from: '4915123450007', text: 'a new number' });
    const messages = await messagesWhen(before.id, 2);
    expect(messages.map(({ text }) => text)).toEqual(['stop', 'a new number']);
    expect((await conversationsOf(before.id))[0]?.['contact']).toMatchObject({ phone: '+4915123450007' });
    // The former number is somebody else's by now, who has not opted out.
    const next = await acme.send('+4915123450006', 'Hi');
    expect([codeOf(next), next.body?.['contactId'] === before.id]).toEqual(['200', false]);
    expect((await contactWhen('+4915123450006')).id).toBe(next.body?.['contactId']);
  });

  it('of a changed number leaves what is queued for the former one to its next owner’s opt-out', async () => {
    const [former, current] = ['+4915123450010', '+4915123450011'];
    await simulator.post('knobs', { errorRate: { 130429: 1 } });
    const { body: queued } = await acme.send(former, 'Hi');
    await inbound({ from: former, newPhone: current });
    await contactWhen(current);
    const optOut = await acme.ask('POST', '/v1/opt-outs', JSON.stringify({ phone: former }));
    expect([optOut.status, optOut.body?.['contactId'] === queued?.['contactId']]).toEqual([201, false]);
    await simulator.post('knobs', { errorRate: {} });
    expect(await all.messageWhen(queued?.id, 'FAILED')).toMatchObject({ error: { code: 'CONTACT_OPTED_OUT' } });
  });

  it('of a status that is known is applied, played as read; of another it is counted', async () => {
    const { body } = await acme.send('+4915123450008', 'Hi');
    await simulator.post('statuses', { reference: body?.id, status: 'paid' });
    await simulator.post('statuses', { reference: body?.id, status: 'played' });
    expect(await all.messageWhen(body?.id, 'READ')).toMatchObject({ readAt: expect.any(String), error: null });
    const { metrics = '' } = all.stack.devJson.processes.find(({ name }) => name === 'messaging') ?? {};
    await eventually(async () => {
      const scraped = parseScrape(await (await fetch(metrics)).text());
      return valuesOf(scraped, 'switchboard_callback_items_ignored_total', { reason: 'unknown-status' })[0] === 1;
    });
  });

  it('is taken whatever stands in it, wherever: no 5xx, no neighbour lost, no error but that it cannot be read', async () => {
    const accounts = (await (await fetch(`${all.stack.devJson.simulatorUrl}/_sim/accounts`)).json()) as {
      readonly items: readonly { readonly wabaId: string; readonly phoneNumbers: readonly { readonly id: string }[] }[];
    };
    const [account] = accounts.items;
    const metadata = { display_phone_number: '12015550181', phone_number_id: account?.phoneNumbers[0]?.id };
    const entryOf = (field: string, value: object): unknown => ({
      id: account?.wabaId,
      changes: [{ field, value: { messaging_product: 'whatsapp', metadata, ...value } }],
    });
    const from = '4915123459999';
    const contacts = [{ profile: { name: 'Fay' }, wa_id: from }];
    const message = { from, id: 'wamid.faulty', timestamp: '1749416383', type: 'text', text: { body: 'stop' } };
    const interactive = {
      type: 'interactive',
      interactive: { type: 'list_reply', list_reply: { id: '1', title: '1' } },
    };
    const system = { type: 'system', system: { type: 'user_changed_number', wa_id: '4915123459998' } };
    const status = {
      id: 'wamid.faulty',
      status: 'failed',
      timestamp: '1',
      recipient_id: from,
      errors: [{ code: 131050 }],
    };
    const preference = { wa_id: from, value: 'stop', category: 'marketing_messages', timestamp: 1731705721 };
    const entries = [
      entryOf('messages', { contacts, messages: [{ ...message, context: { id: 'x' }, errors: [{ code: 1 }] }] }),
      entryOf('messages', {
        messages: [
          { ...message, ...interactive },
          { ...message, ...system },
        ],
      }),
      entryOf('messages', { statuses: [status], errors: [{ code: 130429 }] }),
      entryOf('user_preferences', { contacts, user_preferences: [preference] }),
    ];
    const forms = entries.flatMap((entry) => [...faultyForms(entry)].map((form) => JSON.stringify(form)));
    forms.push(deepJson(50_000), `{"id":${deepJson(50_000)},"changes":[{"value":${deepJson(50_000)}}]}`);
    const neighbourOf = (index: number): string =>
      JSON.stringify(
        entryOf('messages', {
          messages: [{ ...message, from: '4915123459990', id: `wamid.neighbour.${index}`, text: { body: 'x' } }],
        }),
      );
    const statuses = new Map<number, number>();
    await eachConcurrently([...forms.entries()], async ([index, form]) => {
      const answer = await callbacks.send(`{"object":"x","entry":[${form},${neighbourOf(index)}]}`);
      statuses.set(answer, (statuses.get(answer) ?? 0) + 1);
    });
    expect([...statuses]).toEqual([[200, forms.length]]);
    const stored =
      "SELECT count(*)::int AS n FROM messaging.message WHERE upstream_message_id LIKE 'wamid.neighbour.%'";
    await eventually(async () => (await rows(stored))[0]?.['n'] === forms.length, { deadlineMs: 120_000 });
    await eventually(async () => (await rows(UNPUBLISHED)).length === 0, { deadlineMs: 60_000 });
    await eventually(async () => (await backlog.size()) === 0, { deadlineMs: 90_000 });
    const dead = await rows(
      'SELECT DISTINCT error FROM messaging.dead_letter UNION SELECT error FROM contacts.dead_letter',
    );
    const reasons = dead.map(({ error }) => String(error));
    expect(reasons.length).toBeGreaterThan(1);
    expect(
      reasons.filter(
        (reason) => !/^(an item of `|the message does not|a number changed|the preference does)/.test(reason),
      ),
    ).toEqual([]);
    process.stderr.write(`inbound: ${forms.length} faulty callbacks, all 200\n`);
  });
});

const TEXT = 'SELECT id FROM messaging.message WHERE text = $1';
const UNPUBLISHED = 'SELECT 1 FROM gateway.outbox_pending LIMIT 1';

/** The refusal's code, else the status. */
function codeOf({ status, body }: ApiAnswer): string {
  return body?.error?.code ?? String(status);
}
