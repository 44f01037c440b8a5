import type { FastifyInstance } from 'fastify';
import type { AccountRepository } from '../account/account.repository.js';
import type { DeliverCallbacks } from '../callback/deliver-callbacks.worker.js';
import { ControlRefusal } from '../control/control-refusal.js';
import { asObject, asText, type JsonObject } from '../json/json-value.js';
import { parseTemplates } from './template.entity.js';
import type { TemplateRepository } from './template.repository.js';

/** The status in the list after an event; other events change nothing. Source: the provider's page on template statuses. */
const STATUS_AFTER: Readonly<Record<string, string>> = {
  APPROVED: 'APPROVED',
  REINSTATED: 'APPROVED',
  UNPAUSED: 'APPROVED',
  PENDING: 'PENDING',
  REJECTED: 'REJECTED',
  PAUSED: 'PAUSED',
  LOCKED: 'PAUSED',
  DISABLED: 'DISABLED',
  DELETED: 'DISABLED',
  PENDING_DELETION: 'DISABLED',
  ARCHIVED: 'DISABLED',
};

/**
 * `GET /_sim/templates?wabaId`, `PUT /_sim/templates` `{ wabaId?, items }` (of all accounts without `wabaId`), and
 * `POST /_sim/template-status` `{ wabaId?, id | name + language?, event, reason?, category? }`, which changes the listed status and sends
 * the callback → `{ id, delivered }`. A template that is not listed can be named too, by all its members.
 */
export function templateRoutes(
  app: FastifyInstance,
  parts: { accounts: AccountRepository; templates: TemplateRepository; worker: DeliverCallbacks },
): void {
  const { accounts, templates, worker } = parts;
  app.get('/_sim/templates', (request) => ({
    items: templates.list(wabaIdIn(asObject(request.query) ?? {}, accounts)),
  }));
  app.put('/_sim/templates', (request) => {
    const body: JsonObject = Array.isArray(request.body) ? { items: request.body } : (asObject(request.body) ?? {});
    templates.replace(asText(body['wabaId']), parseTemplates(body['items'], 'items'));
    return { items: templates.list(wabaIdIn(body, accounts)) };
  });
  app.post('/_sim/template-status', async (request) => {
    const body = asObject(request.body) ?? {};
    const wabaId = wabaIdIn(body, accounts);
    const event = asText(body['event']);
    if (event === undefined) throw new ControlRefusal('event', 'must be an event, such as REJECTED');
    const named = templateNamedIn(body, templates, wabaId);
    const status = STATUS_AFTER[event];
    if (status !== undefined) templates.setStatus(wabaId, named.id, status);
    const value = {
      event,
      message_template_id: Number(named.id),
      message_template_name: named.name,
      // The list has an underscore where the callback has a dash.
      message_template_language: named.language.replace('_', '-'),
      reason: body['reason'] ?? null,
      message_template_category: named.category,
    };
    const changes = [{ value, field: 'message_template_status_update' }];
    const callback = { object: 'whatsapp_business_account', entry: [{ id: wabaId, changes }] };
    return { id: named.id, delivered: (await worker.submit(JSON.stringify(callback))) ?? null };
  });
}

function wabaIdIn(body: JsonObject, accounts: AccountRepository): string {
  const wabaId = asText(body['wabaId']) ?? accounts.all[0]?.wabaId;
  if (wabaId === undefined) throw new ControlRefusal('wabaId', 'is required: there are no accounts');
  return wabaId;
}

function templateNamedIn(body: JsonObject, templates: TemplateRepository, wabaId: string) {
  const id = body['id'] === undefined ? undefined : String(body['id']);
  const name = asText(body['name']);
  const language = asText(body['language']);
  const listed = templates
    .list(wabaId)
    .find(
      (item) =>
        (id === undefined ? item.name === name : item.id === id) &&
        (language === undefined || item.language.replace('-', '_') === language.replace('-', '_')),
    );
  const category = asText(body['category']) ?? listed?.category ?? 'UTILITY';
  if (listed) return { id: listed.id, name: listed.name, language: listed.language, category };
  if (id === undefined || !/^\d{1,15}$/.test(id) || name === undefined || language === undefined) {
    throw new ControlRefusal(
      'name',
      'must name a listed template, or give `id` (digits), `name` and `language` of another',
    );
  }
  return { id, name, language, category };
}
