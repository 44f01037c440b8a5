/** A batch that is being filled within the limits. */
export class QueueBatch<Entry extends { readonly bytes: number }> {
  readonly entries: Entry[] = [];
  private bytes = 0;

  constructor(private readonly limits: { readonly items: number; readonly bytes: number }) {}

  get isFull(): boolean {
    return this.entries.length >= this.limits.items;
  }

  /** A larger entry goes alone. */
  hasRoomFor({ bytes }: Entry): boolean {
    return this.entries.length === 0 || this.bytes + bytes <= this.limits.bytes;
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.bytes += entry.bytes;
  }
}
