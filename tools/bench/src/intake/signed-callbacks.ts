import { createHmac } from 'node:crypto';

/** A callback as the provider sends it. */
export interface SignedCallback {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A message of ours, as the provider knows it. */
export interface KnownMessage {
  readonly upstreamMessageId: string;
  readonly phone: string;
}

/** A line of ours, as the provider names it, and the secret that its callbacks are signed with. */
export interface CallbackLine {
  readonly phoneNumberId: string;
  readonly appSecret: string;
}

/** A callback each that reports what became of a message: delivered for all of them, then read for all of them. */
export function statusCallbacks(line: CallbackLine, messages: readonly KnownMessage[]): SignedCallback[] {
  return ['delivered', 'read'].flatMap((status) =>
    messages.map(({ upstreamMessageId: id, phone }) =>
      signed(line, { statuses: [{ id, status, timestamp: seconds(), recipient_id: phone.slice(1) }] }),
    ),
  );
}

/** So many callbacks of one message each that a person has sent. @param first number of the first of them: no two have the same id */
export function messageCallbacks(
  line: CallbackLine,
  phones: readonly string[],
  first: number,
  count: number,
): SignedCallback[] {
  return Array.from({ length: count }, (_, index) => {
    const from = (phones[index % phones.length] ?? '').slice(1);
    const contacts = [{ wa_id: from, profile: { name: 'Ada' } }];
    const text = { body: 'Where is my order?' };
    const id = `wamid.bench.intake.${first + index}`;
    return signed(line, { contacts, messages: [{ from, id, timestamp: seconds(), type: 'text', text }] });
  });
}

function seconds(): string {
  return String(Math.floor(Date.now() / 1_000));
}

function signed({ phoneNumberId, appSecret }: CallbackLine, items: object): SignedCallback {
  const metadata = { display_phone_number: '12015550181', phone_number_id: phoneNumberId };
  const value = { messaging_product: 'whatsapp', metadata, ...items };
  const changes = [{ field: 'messages', value }];
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: 'waba', changes }] });
  const signature = createHmac('sha256', appSecret).update(body).digest('hex');
  return { headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` }, body };
}
