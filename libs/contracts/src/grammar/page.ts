/** One page of a list; `nextCursor` is absent at the end. Source: specification, "Pagination". */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}
