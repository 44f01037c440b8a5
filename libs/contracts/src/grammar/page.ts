/** One page of a list; `nextCursor` is absent at the end. Source: docs/api-behaviour.md#pagination. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}
