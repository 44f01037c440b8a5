import { About } from './field-description.js';
import { WholeNumber } from './query.decorator.js';
import { IsCuid, MayBeOmitted } from './text.decorator.js';

const LIMIT_DEFAULT = 25;

/** The query parameters of every list. */
export class PageQuery {
  @About('How many items a page has at most.', { default: LIMIT_DEFAULT })
  @MayBeOmitted()
  @WholeNumber(1, 100)
  limit = LIMIT_DEFAULT;

  @About('The `nextCursor` of the page before; left out, the first page is answered.')
  @MayBeOmitted()
  @IsCuid()
  cursor: string | undefined;
}

/** The page that a query asks for, as services take it. */
export function pageOf({ limit, cursor }: PageQuery): { readonly limit: number; readonly cursor: string | null } {
  return { limit, cursor: cursor ?? null };
}
