import { Cuid, WholeNumberText } from './text.decorator.js';

/** Source: specification, "Pagination". */
const LIMIT_DEFAULT = 25;

/** The query parameters of every list. Source: specification, "Pagination". */
export class PageQuery {
  @WholeNumberText(1, 100, { optional: true })
  limit: string | undefined;

  @Cuid({ optional: true })
  cursor: string | undefined;
}

/** Which page was asked for. */
export function pageOf({ limit, cursor }: PageQuery): { readonly limit: number; readonly cursor: string | null } {
  return { limit: Number(limit ?? LIMIT_DEFAULT), cursor: cursor ?? null };
}
