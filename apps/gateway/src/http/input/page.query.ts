import type { FastifyRequest } from 'fastify';
import { readQuery } from './read-input.js';
import { Cuid, WholeNumberText } from './text.decorator.js';

/** Source: docs/api-behaviour.md#pagination. */
const LIMIT_DEFAULT = 25;

/** The query parameters of every list. Source: docs/api-behaviour.md#pagination. */
export class PageQuery {
  @WholeNumberText(1, 100, { about: 'How many items a page has at most.', optional: true, default: LIMIT_DEFAULT })
  limit: string | undefined;

  @Cuid({ about: 'The `nextCursor` of the page before; left out, the first page is answered.', optional: true })
  cursor: string | undefined;
}

/** Which page was asked for. */
export function pageOf({ limit, cursor }: PageQuery): { readonly limit: number; readonly cursor: string | null } {
  return { limit: Number(limit ?? LIMIT_DEFAULT), cursor: cursor ?? null };
}

/** The page that a list without filters is asked for. @throws AppError VALIDATION_FAILED */
export function readPage(request: FastifyRequest): { readonly limit: number; readonly cursor: string | null } {
  return pageOf(readQuery(PageQuery, request));
}
