import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';

const FIRST_BYTES = 1_024;

/** Bytes that are put together, up to a limit; its memory is used again. */
export class GrowingBuffer {
  private bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  length = 0;

  constructor(
    private readonly bytesMax: number,
    private readonly refusal?: string,
  ) {}

  /** 0 while it is empty. */
  get lastByte(): number {
    return this.length === 0 ? 0 : (this.bytes[this.length - 1] ?? 0);
  }

  /** @throws AppError PAYLOAD_TOO_LARGE */
  add(byte: number): void {
    this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  /** @throws AppError PAYLOAD_TOO_LARGE */
  addAll(source: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    source.copy(this.bytes, this.length, start, end);
    this.length += end - start;
  }

  /** As UTF-8. @throws AppError PAYLOAD_TOO_LARGE */
  addText(text: string): void {
    this.reserve(Buffer.byteLength(text));
    this.length += this.bytes.write(text, this.length);
  }

  text(start: number, end: number): string {
    return this.bytes.toString('utf8', start, end);
  }

  /** What it holds from there on, which it forgets; valid until the next addition. */
  cut(start: number): Buffer {
    const taken = this.bytes.subarray(start, this.length);
    this.length = start;
    return taken;
  }

  /** What it holds, and begins again; valid until the next addition. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.length);
    this.length = 0;
    return taken;
  }

  /** A copy of what it holds that owns its memory, which another thread can take over; it begins again. */
  takeOwned(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.take());
  }

  private reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    if (needed > this.bytesMax) throw new AppError(gatewayErrors.PAYLOAD_TOO_LARGE, this.refusal);
    const grown = Buffer.allocUnsafeSlow(Math.min(this.bytesMax, Math.max(needed, this.bytes.length * 2)));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }
}
