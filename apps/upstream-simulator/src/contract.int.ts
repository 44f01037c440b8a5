import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CallbackReceiver } from '../test/callback-receiver.js';
import { PHONE_NUMBER_ID, recorded, shapeOf, SimulatorHarness, WABA_ID } from '../test/harness.js';

let receiver: CallbackReceiver;
let sim: SimulatorHarness;

beforeAll(async () => {
  receiver = await new CallbackReceiver().start();
  sim = await SimulatorHarness.start({ callbackUrl: receiver.url });
});

afterAll(async () => {
  await SimulatorHarness.stopAll();
  await CallbackReceiver.stopAll();
});

beforeEach(async () => {
  await sim.callbacksDone();
  receiver.received.length = 0;
  await sim.control('DELETE', 'knobs');
});

describe('the shapes are the provider’s', () => {
  it('answers an accepted message as recorded', async () => {
    const answer = await sim.send({ to: '+16505551234' });
    expect(answer.status).toBe(200);
    expect(shapeOf(answer.body)).toEqual(shapeOf(recorded('send-answer')));
    expect(answer.body['contacts']).toEqual([{ input: '+16505551234', wa_id: '16505551234' }]);
  });

  it('answers a refusal as recorded', async () => {
    const answer = await sim.send({ to: '+12015550102', biz_opaque_callback_data: 'shape-error' });
    expect(shapeOf(answer.body)).toEqual(shapeOf(recorded('error-answer')));
  });

  it('quotes the whole request in its refusals when the knob is set, as providers do now and then', async () => {
    await sim.control('PUT', 'knobs', { errorRate: { '131026': 1 }, quoteRequest: true });
    const refused = await sim.send({ to: '+12015550277' });
    expect(refused.body['error']?.['error_data']?.['details']).toMatch(/^Refused: \{.*12015550277/);
  });

  it('reports a failed status as recorded, signed over the raw body', async () => {
    await sim.send({ to: '+12015550110', biz_opaque_callback_data: 'shape-failed' });
    await receiver.until(() => receiver.statusesOf('shape-failed').length === 2);
    const callback = receiver.received.find(({ raw }) => raw.includes('"failed"'));

    // A busy machine has both of its statuses in one.
    const body = JSON.parse(callback?.raw ?? '{}') as {
      entry?: { changes: { value: { statuses: { status: string }[] } }[] }[];
    };
    const value = body.entry?.[0]?.changes[0]?.value;
    if (value) value.statuses = value.statuses.filter((one) => one.status === 'failed');
    expect(shapeOf(body)).toEqual(shapeOf(recorded('status-callback')));
    const signature = createHmac('sha256', 'simulator-app-secret')
      .update(callback?.raw ?? '')
      .digest('hex');
    expect(callback?.signature).toBe(`sha256=${signature}`);
  });

  it('reports an inbound text as recorded', async () => {
    const sent = await sim.control('POST', 'inbound', { from: '+1 650 555 1234', name: 'Sheena Nelson', text: 'Hi' });
    expect(sent.body).toMatchObject({ id: expect.stringMatching(/^wamid\./), delivered: 200 });
    const body: unknown = JSON.parse(receiver.received[0]?.raw ?? '{}');
    expect(shapeOf(body)).toEqual(shapeOf(recorded('inbound-callback')));
  });

  it('lists templates as recorded, page after page until `next` is absent', async () => {
    const path = `/v23.0/${WABA_ID}/message_templates`;
    const first = await sim.get(`${path}?limit=1`);
    expect(shapeOf(first.body)).toEqual(shapeOf(recorded('template-list')));

    const walked: unknown[] = [];
    let next: string | undefined = `${path}?limit=3`;
    while (next !== undefined) {
      const page = (await sim.get(next)).body as unknown as { data: unknown[]; paging: { next?: string } };
      walked.push(...page.data);
      next = page.paging.next?.slice(sim.simulator.url.length);
    }
    expect(walked).toEqual((await sim.get(path)).body['data']);
    expect(walked.length).toBeGreaterThan(3);
  });

  it('lists the phone numbers of an account to its token alone', async () => {
    const path = `/v23.0/${WABA_ID}/phone_numbers`;
    const listed = await sim.get(path);
    expect(listed.body['data']).toEqual([
      { id: PHONE_NUMBER_ID, display_phone_number: expect.any(String), verified_name: expect.any(String) },
    ]);
    expect((await sim.get(`/v23.0/1/phone_numbers`)).body['error']).toMatchObject({ code: 100, error_subcode: 33 });
  });

  it('reports a template event as recorded and lists the status that follows from it', async () => {
    const event = { name: 'seasonal_promotion', event: 'REJECTED', reason: 'INVALID_FORMAT' };
    const sent = await sim.control('POST', 'template-status', event);
    expect(shapeOf(JSON.parse(receiver.received[0]?.raw ?? '{}'))).toEqual(
      shapeOf(recorded('template-status-callback')),
    );
    const listed = (await sim.get(`/v23.0/${WABA_ID}/message_templates`)).body['data']?.find(
      (template) => String(template['id']) === String(sent.body['id']),
    );
    expect(listed).toMatchObject({ name: 'seasonal_promotion', status: 'REJECTED' });
  });
});

describe('sending', () => {
  it.each([
    ['+5215512345678', '525512345678'],
    ['+5531912345678', '553112345678'],
    ['+5511912345678', '5511912345678'],
    ['16505551234', '16505551234'],
  ])('knows %s as %s', async (to, waId) => {
    expect((await sim.send({ to })).body['contacts']?.[0]).toEqual({ input: to, wa_id: waId });
  });

  it.each([
    ['an unknown token', { token: 'other' }, 401, { code: 190 }],
    ['an unknown phone number id', { phoneNumberId: '1' }, 400, { code: 100, error_subcode: 33 }],
  ])('refuses %s', async (_what, over, status, error) => {
    const answer = await sim.post('{}', over);
    expect(answer.status).toBe(status);
    expect(answer.body['error']).toMatchObject(error);
  });

  it.each([
    [{ messaging_product: undefined }, 100],
    [{ to: undefined }, 100],
    [{ to: 'no number' }, 131009],
    [{ type: 'telegram' }, 100],
    [{ text: undefined }, 131008],
    [{ text: { body: '' } }, 131008],
    [{ text: { body: 'x'.repeat(4097) } }, 100],
    [{ type: 'image', image: {} }, 131008],
    [{ type: 'template', template: { name: 'welcome' } }, 131008],
    [{ type: 'template', template: { name: 'nowhere', language: { code: 'en_US' } } }, 132001],
    [{ type: 'template', template: { name: 'back_in_stock', language: { code: 'en_US' } } }, 132015],
    [{ type: 'template', template: { name: 'order_confirmation', language: { code: 'en_US' } } }, 132000],
    [{ type: 'template', template: named('first_name', 'day') }, 132012],
  ])('refuses %j with %i', async (over, code) => {
    expect((await sim.send(over)).body['error']?.['code']).toBe(code);
  });

  it.each([
    [{ text: { body: '👍'.repeat(4096) } }],
    [{ type: 'template', template: named('first_name', 'date') }],
    [{ type: 'template', template: positional('Ada', 'A-1') }],
  ])('accepts what is just right (%#)', async (over) => {
    expect((await sim.send(over)).status).toBe(200);
  });

  it('refuses and records a body that is not JSON', async () => {
    const answer = await sim.post('{"to":');
    expect(answer.body['error']?.['code']).toBe(100);
    const { items } = (await sim.requests('limit=1000')) as unknown as { items: { body: unknown }[] };
    expect(items.at(-1)?.body).toBe('{"to":');
  });

  it('gives every message another id', async () => {
    const ids = await Promise.all(
      Array.from({ length: 300 }, async () => (await sim.send()).body['messages']?.[0]?.['id']),
    );

    expect(new Set(ids).size).toBe(300);
  });
});

describe('callbacks', () => {
  it('sends the statuses with id, recipient and reference, and none that has no delay', async () => {
    const id = (await sim.send({ to: '+5215512345678', biz_opaque_callback_data: 'ordinary' })).body['messages']?.[0]?.[
      'id'
    ];
    await sim.callbacksDone();

    const statuses = receiver.statusesOf('ordinary');
    expect(statuses.map(({ status }) => status)).toEqual(['sent', 'delivered']);
    for (const status of statuses) expect(status).toMatchObject({ id, recipient_id: '525512345678' });
  });

  it('repeats the same bytes until the answer is 200', async () => {
    receiver.answers.push(500, 204);
    await sim.control('PUT', 'knobs', { callbackDelayMs: { delivered: null } });
    await sim.send({ biz_opaque_callback_data: 'retried' });
    await sim.callbacksDone();

    const bodies = receiver.received.map(({ raw }) => raw);
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies).size).toBe(1);
  });

  it('joins what falls due together, losing nothing', async () => {
    const references = Array.from({ length: 400 }, (_, at) => `joined-${at}`);
    await Promise.all(references.map((reference) => sim.send({ biz_opaque_callback_data: reference })));
    await sim.callbacksDone();

    for (const reference of references) expect(receiver.statusesOf(reference)).toHaveLength(2);
    expect(receiver.received.length).toBeLessThan(800);
  });

  it.each([
    ['button', 'contacts'],
    ['interactive', 'contacts'],
    ['image', 'contacts'],
    ['location', 'contacts'],
    ['contacts', 'contacts'],
    ['reaction', 'contacts'],
    ['unsupported', 'contacts'],
    ['system', undefined],
  ])('reports an inbound %s', async (type, contacts) => {
    await sim.control('POST', 'inbound', {
      displayPhone: '+1 555 078 3881',
      from: '16505551234',
      type,
      id: `wamid.${type}`,
    });

    const value = receiver.received[0]?.entry[0]?.changes[0]?.value;
    expect(value?.messages?.[0]).toMatchObject({ id: `wamid.${type}`, type, [type]: expect.anything() });
    expect(value !== undefined && 'contacts' in value ? 'contacts' : undefined).toBe(contacts);
  });

  it('reports several messages in one callback, each person once, and a changed number', async () => {
    const messages = [
      { text: 'one', id: 'wamid.1' },
      { type: 'image', id: 'wamid.2' },
    ];
    const sent = await sim.control('POST', 'inbound', { from: '16505551234', name: 'Ada', messages });
    expect(sent.body).toEqual({ id: 'wamid.1', ids: ['wamid.1', 'wamid.2'], delivered: 200 });
    await sim.control('POST', 'inbound', { from: '16505551234', newPhone: '+1 650 555 9999' });
    const values = receiver.received.map(({ entry }) => entry[0]?.changes[0]?.value);
    expect(values[0]).toMatchObject({
      contacts: [{ profile: { name: 'Ada' }, wa_id: '16505551234' }],
      messages: [{ type: 'text' }, { type: 'image' }],
    });
    expect(values[1]?.messages?.[0]).toMatchObject({
      from: '16505551234',
      type: 'system',
      system: { type: 'user_changed_number', wa_id: '16505559999' },
    });
    expect((await sim.control('POST', 'inbound', { from: '1650', messages: [] })).status).toBe(400);
  });

  it('reports a preference as recorded', async () => {
    const preference = { from: '+1 650 555 1234', name: 'Pablo Morales', value: 'stop' };
    expect((await sim.control('POST', 'preferences', preference)).body).toEqual({ delivered: 200 });
    const body: unknown = JSON.parse(receiver.received[0]?.raw ?? '{}');
    expect(shapeOf(body)).toEqual(shapeOf(recorded('preference-callback')));
    expect((await sim.control('POST', 'preferences', { from: '1650' })).status).toBe(400);
  });

  it('settles by reference a message whose answer was cut', async () => {
    await expect(sim.send({ to: '+12015550108', biz_opaque_callback_data: 'settled' })).rejects.toThrow();
    await sim.callbacksDone();
    const sent = await sim.control('POST', 'statuses', {
      reference: 'settled',
      status: 'failed',
      errors: [{ code: 131026 }],
    });

    const last = receiver.statusesOf('settled').at(-1);
    expect(last).toMatchObject({ id: receiver.statusesOf('settled')[0]?.id, recipient_id: '12015550108' });
    expect(last?.errors?.[0]).toMatchObject({ code: 131026, title: 'Message undeliverable' });
    expect(sent.body['delivered']).toBe(200);
  });

  it('signs any body as it is, and proves the subscription', async () => {
    const body = '{"object":"whatsapp_business_account",  "entry":[]}';

    expect((await sim.control('POST', 'callbacks', { body })).body).toEqual({ delivered: 200 });
    expect(receiver.received[0]?.raw).toBe(body);
    expect((await sim.control('POST', 'callback/verify')).body).toEqual({ verified: true, status: 200 });
  });

  it('uses accounts that were put in place of the first', async () => {
    const other = await SimulatorHarness.start({});
    const phoneNumbers = [{ id: '7', displayPhone: '+1 202 555 0100' }];
    await other.control('PUT', 'accounts', { items: [{ token: 'second', wabaId: '9', phoneNumbers }] });

    expect((await other.post('{}', { token: 'second', phoneNumberId: PHONE_NUMBER_ID })).body['error']).toMatchObject({
      code: 100,
      error_subcode: 33,
    });
    expect((await other.send()).status).toBe(401);
    const text = { messaging_product: 'whatsapp', to: '+16505551234', text: { body: 'Hi' } };
    expect((await other.post(JSON.stringify(text), { token: 'second', phoneNumberId: '7' })).status).toBe(200);
    await other.stop();
  });
});

function named(...names: string[]): object {
  const parameters = names.map((name) => ({ type: 'text', parameter_name: name, text: 'x' }));
  return { name: 'appointment_reminder', language: { code: 'en_US' }, components: [{ type: 'body', parameters }] };
}

function positional(...texts: string[]): object {
  const parameters = texts.map((text) => ({ type: 'text', text }));
  return { name: 'order_confirmation', language: { code: 'en_US' }, components: [{ type: 'body', parameters }] };
}
