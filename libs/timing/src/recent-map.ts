/**
 * Map that keeps so many entries at most: those that were set last, in that order. To set a known key moves it to the end; to read one
 * moves nothing.
 */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly entriesMax: number) {
    super();
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.entriesMax) break;
      this.delete(oldest);
    }
    return this;
  }
}
