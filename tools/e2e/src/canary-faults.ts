import { resolveContactsRpc } from '@switchboard/contracts/contacts/rpc';
import { callbackMessage } from '@switchboard/contracts/gateway/events';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { sendMessageRpc } from '@switchboard/contracts/messaging/rpc';
import { withConflictRetries } from '@switchboard/postgres';
import pg from 'pg';
import type { Api, ApiAnswer } from './api.js';
import type { Flock } from './canary-flock.js';
import type { NatsRecorder } from './nats-recorder.js';
import type { EverythingRunning } from './start-everything.js';

/** Revokes the key of an organization, as long as no route does. */
export async function revokeKeys(databaseUrl: string, organizationId: string): Promise<void> {
  await withDatabase(databaseUrl, async (client) => {
    await client.query('UPDATE gateway.api_key SET revoked_at = now() WHERE organization_id = $1', [organizationId]);
  });
}

/** What the database says of a row that it does not take: a type, a check, a key. @returns the answers to callers */
export async function refuseRows(all: EverythingRunning, recorder: NatsRecorder, flock: Flock): Promise<unknown[]> {
  const { databaseUrl } = all.stack.devJson;
  const [phone = ''] = flock.writtenPhones;
  return withDatabase(databaseUrl, async (client) => {
    // Tables that services work on meanwhile: their locks and these may make a circle, after which nothing of this stands.
    const change = (sql: string): Promise<unknown> => withConflictRetries(() => client.query(sql));
    await change(`
      CREATE FUNCTION public.canary() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM NEW.text::integer; RETURN NEW; END $$;
      GRANT USAGE ON SCHEMA public TO PUBLIC;
      CREATE TRIGGER canary BEFORE INSERT ON messaging.message FOR EACH ROW
        WHEN (NEW.text LIKE '%as a number') EXECUTE FUNCTION public.canary();
      ALTER TABLE messaging.message ADD CONSTRAINT canary CHECK (text NOT LIKE '%as a check');
      CREATE UNIQUE INDEX canary ON contacts.contact (name)`);
    const statuses: unknown[] = [];
    for (const what of ['as a number', 'as a check'])
      statuses.push((await all.acme.send(phone, `${flock.text} ${what}`)).status);
    const sightings = ['+14155550143', '+14155550144'].map((one) => ({
      phone: one,
      profileName: flock.name,
      messagingId: null,
    }));
    const principal = systemPrincipal(all.stack.devJson.organizations?.[0]?.id ?? '', 'test');
    const question = JSON.stringify({ principal, request: { sightings } });
    statuses.push(
      (
        JSON.parse(await recorder.ask('messaging', resolveContactsRpc.subject, question)) as {
          error?: { code: string };
        }
      ).error?.code,
    );
    await change(`
      DROP TRIGGER canary ON messaging.message; DROP FUNCTION public.canary; DROP INDEX contacts.canary;
      ALTER TABLE messaging.message DROP CONSTRAINT canary; REVOKE USAGE ON SCHEMA public FROM PUBLIC`);
    return statuses;
  });
}

/** Text where JSON should be, and JSON that is not what was agreed, on subjects that carry such text anyway. */
export async function publishNonsense(recorder: NatsRecorder, { text, inboundPhone }: Flock): Promise<void> {
  await recorder.publish(callbackMessage.subject, `${text} ${inboundPhone}`);
  await recorder.publish(callbackMessage.subject, `{"data": ${text}`);
  await recorder.publish(callbackMessage.subject, JSON.stringify({ id: text, data: { item: text } }));
  await recorder.ask('gateway', sendMessageRpc.subject, `${text} ${inboundPhone}`);
  await recorder.ask('gateway', sendMessageRpc.subject, JSON.stringify({ principal: text, request: { to: 7, text } }));
}

/** The upstream quotes what it refuses, then refuses a token. @returns the answers to callers */
export async function haveUpstreamQuote(all: EverythingRunning, flock: Flock): Promise<number[]> {
  const { simulator, acme, globex } = all;
  const refuse = async (code: string, api: Api): Promise<ApiAnswer> => {
    await simulator.post('knobs', { errorRate: { [code]: 1 }, quoteRequest: true });
    return api.send(flock.writtenPhones[0], flock.text);
  };
  const refused = await refuse('131026', acme);
  // The upstream's words are stored with the message, and shown.
  const shown = await acme.get(`/v1/messages/${refused.headers.get('x-message-id')}`);
  const later = await refuse('131057', acme);
  const disconnected = await refuse('190', globex);
  await simulator.post('knobs', { errorRate: {}, quoteRequest: false });
  return [refused, shown, later, disconnected].map(({ status }) => status);
}

async function withDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
