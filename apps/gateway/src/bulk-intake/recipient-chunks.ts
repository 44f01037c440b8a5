import { CHUNK_RECIPIENTS_MAX, type BulkRecipient } from '@switchboard/contracts/templates/job-rpc';
import { GrowingBuffer } from '../http/growing-buffer.js';

/** A message of NATS holds 1 MiB. A chunk is written to it in one go: more would hold up other requests. */
const CHUNK_BYTES_MAX = 256 * 1_024;
/** A chunk of one large recipient, in JSON. */
const ONE_BYTES_MAX = 4 * 1_024 * 1_024;
const [OPEN_ARRAY, CLOSE_ARRAY, COMMA] = [0x5b, 0x5d, 0x2c];

/** Recipients that travel together. */
export interface RecipientChunk {
  /** Index of the first of them. */
  readonly firstIndex: number;
  /** An array of `BulkRecipient` in JSON, in memory of its own: it goes from thread to thread without a copy. */
  readonly json: Uint8Array<ArrayBuffer>;
}

/** Puts recipients into chunks, in their order and as the JSON in which they travel. */
export class RecipientChunks {
  private readonly json = new GrowingBuffer(ONE_BYTES_MAX, 'One of `recipients` is too large');
  private recipients = 0;
  private firstIndex = 0;
  private full: RecipientChunk[] = [];

  add(recipient: BulkRecipient): void {
    const text = JSON.stringify(recipient);
    const isFull = this.recipients === CHUNK_RECIPIENTS_MAX || this.json.length + text.length > CHUNK_BYTES_MAX;
    if (isFull) this.close();
    this.json.add(this.recipients === 0 ? OPEN_ARRAY : COMMA);
    this.json.addText(text);
    this.recipients++;
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
    if (this.recipients === 0) return;
    this.json.add(CLOSE_ARRAY);
    this.full.push({ firstIndex: this.firstIndex, json: this.json.takeOwned() });
    this.firstIndex += this.recipients;
    this.recipients = 0;
  }
}
