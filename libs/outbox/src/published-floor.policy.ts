/** What the database says of events that are to be published. */
export interface OutboxLook {
  /** Lowest position above the floor that is committed and not published; null when there is none. */
  readonly first: number | null;
  /**
   * Running transactions that may have drawn a position: those that hold a writer's lock on the outbox, by their virtual
   * ids. Read after the snapshot in which `first` was looked for.
   */
  readonly writers: readonly string[];
}

/**
 * The position below which everything is published and visible, so that a poll may begin above it.
 *
 * A position is drawn under the writer's lock on the outbox, which a transaction keeps until its commit is visible. So a
 * position that has been read is passed in three looks: the writers of the first are the only ones that may still commit
 * below it; when they are gone, in a later look, nothing can appear below it any more; what the look after that finds
 * unpublished is all that there is. A time bound would not do: a transaction may take as long as it likes.
 */
export class PublishedFloor {
  private floor = 0;
  /** Nothing can appear at or below it any more. */
  private closed = 0;
  private candidate: { readonly position: number; readonly writers: ReadonlySet<string> } | undefined;

  get position(): number {
    return this.floor;
  }

  /** @param highest position read so far, before this look */
  observe({ first, writers }: OutboxLook, highest: number): void {
    this.floor = Math.max(this.floor, first === null ? this.closed : Math.min(this.closed, first - 1));
    this.candidate ??= highest > this.closed ? { position: highest, writers: new Set(writers) } : undefined;
    if (!this.candidate) return;
    const left = new Set(writers.filter((writer) => this.candidate?.writers.has(writer)));
    this.closed = left.size === 0 ? this.candidate.position : this.closed;
    this.candidate = left.size === 0 ? undefined : { position: this.candidate.position, writers: left };
  }
}
