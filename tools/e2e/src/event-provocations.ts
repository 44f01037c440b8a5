import { AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import { operator } from './operator.js';
import { ownerOf } from './people.js';
import { StackDatabase } from './stack-database.js';
import type { OwnStack } from './start-everything.js';

/**
 * Brings about every event of the catalogue, from outside. An event that is new to the catalogue needs a line here.
 *
 * @throws Error when the API refuses what should be possible
 */
export async function provokeEvents(all: OwnStack): Promise<void> {
  const { acme, simulator, messageWhen } = all;
  const ask = async (method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await acme.ask(method, path, body === undefined ? undefined : JSON.stringify(body));
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body ?? {};
  };
  // Accepted, sent, delivered, read; its conversation opened; a contact made.
  const read = await acme.send('+12015550111', 'read');
  await messageWhen(read.body?.id, 'READ');
  // Corrected: it was delivered later than its reading said.
  const timestamp = String(Math.floor(Date.now() / 1_000) + 60);
  await simulator.post('statuses', { reference: read.body?.id, status: 'delivered', timestamp });
  // Failed, and the upstream's own opt-out observed.
  await acme.send('+12015550100', 'failed');
  await acme.send('+12015550105', 'opted out');
  // Received; a name learnt.
  await simulator.post('inbound', { from: '4915123456700', name: 'Ada', text: 'Hello' });
  // A preference in the upstream's own settings.
  await simulator.post('preferences', { from: '4915123456701', value: 'stop' });
  // Each way that a conversation can be moved by hand.
  const conversation = `/v1/conversations/${String(read.body?.['conversationId'])}`;
  for (const status of ['PENDING', 'CLOSED', 'OPEN']) await ask('PATCH', conversation, { status });
  // Opted out and in again.
  const contact = await ask('POST', '/v1/contacts', { phone: '+14155550188', name: 'Grace' });
  const optOut = await ask('POST', '/v1/opt-outs', { contactId: contact['id'], reason: 'asked for it' });
  await ask('DELETE', `/v1/opt-outs/${String(optOut['id'])}`);
  // Erased.
  await ask('DELETE', `/v1/contacts/${String(contact['id'])}`);
  // A template that is known becomes another status.
  await simulator.post('template-status', { name: 'back_in_stock', event: 'UNPAUSED' });
  // A job is accepted, and finished.
  const [template] = (await acme.get('/v1/templates?status=APPROVED&search=welcome')).body?.items ?? [];
  await ask('POST', '/v1/templates/send', { templateId: template?.['id'], recipients: [{ to: '+14155550177' }] });
  // Recipients of a job that have opted out, or of whom it is not known whether they were sent to.
  const optedOut = { to: '+14155550178' };
  await ask('POST', '/v1/opt-outs', { phone: optedOut.to });
  await ask('POST', '/v1/templates/send', {
    templateId: template?.['id'],
    recipients: [optedOut, { to: '+12015550104' }],
  });
  // A job whose template the upstream refuses before it has said why: held, until it is approved again.
  const wabaId = String(template?.['businessAccountId']);
  const { items: listed } = await simulator.templates(wabaId);
  const paused = listed.map((one) => (one['name'] === 'welcome' ? { ...one, status: 'PAUSED' } : one));
  await simulator.put('templates', { wabaId, items: paused });
  const held = await ask('POST', '/v1/templates/send', {
    templateId: template?.['id'],
    recipients: [{ to: '+14155550179' }],
  });
  const isHeld = async (): Promise<boolean> =>
    (await acme.get(`/v1/templates/send/${String(held['id'])}`)).body?.['status'] === 'HELD';
  await eventually(isHeld, { deadlineMs: 30_000 });
  await simulator.post('template-status', { wabaId, name: 'welcome', event: 'UNPAUSED' });
  // What an organization pays for becomes another thing, and what it was.
  const organizationId = all.stack.devJson.organizations?.[0]?.id;
  for (const status of ['PAST_DUE', 'ACTIVE']) {
    await operator(all.dataDir, `subscription set ${organizationId} ${status}`);
  }
  // A person acts on a webhook.
  const page = await AppClient.signedIn(all.baseUrl, ownerOf(all.stack));
  const webhook = await page.post('/app/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['message.read'] });
  if (webhook.status !== 201)
    throw new Error(`POST /app/api/webhooks: ${webhook.status} ${JSON.stringify(webhook.body)}`);
  // Ten failures in a row take minutes: nine have been, the tenth is made here.
  const database = await StackDatabase.open(all.stack);
  await database.query('UPDATE webhooks.lane SET consecutive_failures = 9 WHERE webhook_id = $1', [webhook.body?.id]);
  await database.close();
  const last = await acme.send('+12015550112', 'read and not answered');
  await messageWhen(last.body?.id, 'READ');
  // A person acts on a channel.
  const [channel] = (await page.get('/app/api/channels')).body?.items ?? [];
  const tested = await page.post(`/app/api/channels/${String(channel?.['id'])}/test`);
  if (tested.status !== 200) throw new Error(`testing a channel: ${tested.status} ${JSON.stringify(tested.body)}`);
  // What is neither a status nor a message.
  const entry = { id: '102290129340401', changes: [{ field: 'account_update', value: { event: 'VERIFIED_ACCOUNT' } }] };
  await simulator.post('callbacks', { body: { object: 'whatsapp_business_account', entry: [entry] } });
  const named = async (): Promise<true | undefined> => {
    const { body } = await acme.get('/v1/contacts?search=Ada');
    return (body?.items?.length ?? 0) > 0 || undefined;
  };
  await eventually(named, { deadlineMs: 30_000 });
}
