import type { AccountRepository } from '../account/account.repository.js';
import { refusal, unknownObject, type ProviderAnswer } from '../provider-error/provider-error.entity.js';
import type { TemplateRepository } from './template.repository.js';

const PAGE_SIZE = 25;
const PAGE_SIZE_MAX = 1000;

/**
 * Answers `GET /{version}/{waba-id}/message_templates?limit&after`: `paging.next` is there as long as there are more.
 *
 * @param url the whole address of the request; `next` is the same with another cursor.
 * @param token the bearer token, or undefined when there was none.
 */
export function listTemplates(
  accounts: AccountRepository,
  templates: TemplateRepository,
  request: { readonly wabaId: string; readonly url: URL; readonly token: string | undefined },
): ProviderAnswer {
  const { wabaId, url, token } = request;
  if (token === undefined || !accounts.hasToken(token)) return refusal(190);
  if (accounts.findByWabaId(wabaId)?.token !== token) return unknownObject(wabaId);
  const limit = Number(url.searchParams.get('limit') ?? PAGE_SIZE);
  if (!Number.isInteger(limit) || limit < 1) return refusal(100, 'Param limit must be an integer greater than 0');
  const after = url.searchParams.get('after');
  const start = after === null ? 0 : readCursor(after);
  if (start === undefined) return refusal(100, 'Invalid paging cursor');

  const all = templates.list(wabaId);
  const end = Math.min(start + Math.min(limit, PAGE_SIZE_MAX), all.length);
  const cursors = { before: cursor(start), after: cursor(end) };
  return { status: 200, body: JSON.stringify({ data: all.slice(start, end), paging: pagingOf() }) };

  function pagingOf(): object {
    if (end >= all.length) return { cursors };
    const next = new URL(url);
    next.searchParams.set('after', cursors.after);
    return { cursors, next: next.href };
  }
}

function cursor(position: number): string {
  return Buffer.from(`at:${position}`).toString('base64url');
}

function readCursor(value: string): number | undefined {
  const [, digits] = /^at:(\d{1,9})$/.exec(Buffer.from(value, 'base64url').toString()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
