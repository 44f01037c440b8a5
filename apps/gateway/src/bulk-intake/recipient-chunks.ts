import { CHUNK_RECIPIENTS_MAX, type BulkRecipient } from '@switchboard/contracts/templates/job-rpc';

/** A message of NATS holds 1 MiB. A chunk is written to it in one go: more would hold up other requests. */
const CHUNK_BYTES_MAX = 256 * 1_024;

/** Recipients that travel together. */
export interface RecipientChunk {
  /** Index of the first of them. */
  readonly firstIndex: number;
  /** An array of `BulkRecipient` in JSON. */
  readonly json: string;
}

/** Puts recipients into chunks, in their order and as the JSON in which they travel. */
export class RecipientChunks {
  private texts: string[] = [];
  private bytes = 0;
  private firstIndex = 0;
  private full: RecipientChunk[] = [];

  add(recipient: BulkRecipient): void {
    const text = JSON.stringify(recipient);
    const bytes = Buffer.byteLength(text);
    if (this.texts.length === CHUNK_RECIPIENTS_MAX || this.bytes + bytes > CHUNK_BYTES_MAX) this.close();
    this.texts.push(text);
    this.bytes += bytes;
  }

  /** Those that are full now; each is given once. */
  takeFull(): readonly RecipientChunk[] {
    const { full } = this;
    this.full = [];
    return full;
  }

  /** The last one; null when nothing is left over. */
  takeLast(): RecipientChunk | null {
    this.close();
    return this.takeFull()[0] ?? null;
  }

  private close(): void {
    if (this.texts.length === 0) return;
    this.full.push({ firstIndex: this.firstIndex, json: `[${this.texts.join(',')}]` });
    this.firstIndex += this.texts.length;
    this.texts = [];
    this.bytes = 0;
  }
}
