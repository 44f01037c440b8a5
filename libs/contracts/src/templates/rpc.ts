import type { Cuid } from '../grammar/cuid.js';
import { defineRpc } from '../grammar/define-rpc.js';
import type { Page } from '../grammar/page.js';
import type { TemplateStatus, TemplateView } from './http.js';

/** A page of templates; null stands for no filter. */
export interface ListTemplatesRequest {
  /** 1 to 100. */
  readonly limit: number;
  readonly cursor: string | null;
  readonly businessAccountId: string | null;
  /** Part of the name; any case; literal. */
  readonly search: string | null;
  readonly status: TemplateStatus | null;
  /** Templates that this channel can send: those of its business account. */
  readonly messagingChannelId: Cuid | null;
  /** As the upstream writes it (`en_US`). */
  readonly language: string | null;
}

/**
 * Templates of the organization, newest first.
 *
 * The answer fits into one message of the broker: it may hold fewer than `limit` with a `nextCursor`, never none.
 */
export const listTemplatesRpc = defineRpc<ListTemplatesRequest, Page<TemplateView>>('templates', 'list-templates', {
  deadlineMs: 5_000,
});

/** One template of the organization. @throws TEMPLATE_NOT_FOUND */
export const getTemplateRpc = defineRpc<{ readonly id: Cuid }, TemplateView>('templates', 'get-template', {
  deadlineMs: 5_000,
});
