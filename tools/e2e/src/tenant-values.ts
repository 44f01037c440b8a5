import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { ApiAnswer } from './api.js';
import type { Api } from './api.js';

/** An organization as the tests of tenants use it. */
export interface Tenant {
  readonly api: Api;
  readonly channelId: string;
}

/** Makes what an id names, a new one at each call where the API can. @returns its id */
export type IdFixture = (tenant: Tenant) => Promise<string>;

let phones = 0;

/** A valid number without a contact so far. */
export function newPhone(): string {
  return `+1415555${String(7_000 + phones++)}`;
}

/** By the name of a field that holds an id. A field that is not here fails the tests of its route. */
export const idFixtures: Readonly<Record<string, IdFixture>> = {
  messageId: async ({ api }) => fieldOf(await api.send(newPhone(), 'tenants'), 'id'),
  conversationId: async ({ api }) => fieldOf(await api.send(newPhone(), 'tenants'), 'conversationId'),
  contactId: async ({ api }) => fieldOf(await post(api, '/v1/contacts', { phone: newPhone() }), 'id'),
  optOutId: async ({ api }) => fieldOf(await post(api, '/v1/opt-outs', { phone: newPhone() }), 'id'),
  templateId: async ({ api }) => approvedTemplateOf(await api.get('/v1/templates?status=APPROVED')).id,
  jobId: async (tenant) => fieldOf(await post(tenant.api, '/v1/templates/send', await bulkSendOf(tenant)), 'id'),
  messagingChannelId: async ({ channelId }) => channelId,
};

/** What the `:id` of a path is, by the segment before it. */
export const idsOfPaths: Readonly<Record<string, string>> = {
  messages: 'messageId',
  conversations: 'conversationId',
  contacts: 'contactId',
  'opt-outs': 'optOutId',
  channels: 'messagingChannelId',
  templates: 'templateId',
  send: 'jobId',
};

/** Values of fields that hold no id, for routes that ask for them. */
export const fieldValues: Readonly<Record<string, () => unknown>> = {
  to: newPhone,
  phone: newPhone,
  text: () => 'tenants',
  recipients: () => [{ to: newPhone() }],
  // From OPEN, where every new conversation is.
  status: () => 'PENDING',
};

/** Names that look like ids of ours and are none, with the reason. */
export const noIds: Readonly<Record<string, string>> = {
  businessAccountId: "the upstream's own; a filter over the organization's rows like any text",
};

/** An id in our form that nothing has. */
export const unknownId = newCuid;

/** A template whose variables are known by its description. */
interface DescribedTemplate {
  readonly id: string;
  readonly parameterFormat: 'POSITIONAL' | 'NAMED';
  readonly variables: readonly { readonly name: string }[];
}

/** Without variables, so that any recipient fits. */
function approvedTemplateOf({ status, body }: ApiAnswer): DescribedTemplate {
  const items = body?.['items'] as readonly DescribedTemplate[] | undefined;
  const found = items?.find(({ variables }) => variables.length === 0);
  if (!found) throw new Error(`no approved template without variables: ${status} ${JSON.stringify(body)}`);
  return found;
}

async function bulkSendOf({ api }: Tenant): Promise<object> {
  const { id: templateId } = approvedTemplateOf(await api.get('/v1/templates?status=APPROVED'));
  // So slow that it can be paused, resumed and cancelled still.
  return { templateId, throttlePerHour: 1, recipients: [{ to: newPhone() }, { to: newPhone() }] };
}

async function post(api: Api, path: string, body: unknown): Promise<ApiAnswer> {
  return api.ask('POST', path, JSON.stringify(body));
}

function fieldOf({ status, body }: ApiAnswer, field: string): string {
  const value = body?.[field];
  if (status >= 300 || typeof value !== 'string') throw new Error(`no fixture: ${status} ${JSON.stringify(body)}`);
  return value;
}
