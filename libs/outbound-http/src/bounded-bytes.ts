import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { RESPONSE_BYTES_MAX, TOO_LONG } from './bounded-responses.js';

/** Records of TLS for one response, or for the handshake, at most: it comes in a few, of one from a server that writes 50 bytes at a time. */
const RECORDS_MAX = 512;
/**
 * Records of a handshake that are encrypted and say so: the last one of it, and requests for another, which are refused. Some servers ask
 * once, for a certificate of ours.
 */
const HANDSHAKES_MAX = 5;
/** In clear: what is in a record, the version (2 bytes), and how many bytes come. Source: RFC 5246, 6.2.1; RFC 8446, 5.1. */
const HEADER_BYTES = 5;
const CHANGE_CIPHER_SPEC = 20;
const HANDSHAKE = 22;

/**
 * A connection below its encryption. Ends it when more comes for one response than is read of any.
 *
 * What TLS takes for itself no listener sees as read: changes of keys (1.3, 9 µs each), requests for another handshake (1.2, 90 µs),
 * sessions (27 µs), padding. They are some 30 bytes each and came at line rate until the deadline, which kept the event loop for seconds at a time.
 * Price: a stream between the connection and its decryption costs a request 8 µs.
 */
export class BoundedBytes extends Duplex {
  private secured: Socket | undefined;
  private requestBytes = 0;
  private bytesLeft = RESPONSE_BYTES_MAX;
  private recordsLeft = RECORDS_MAX;
  private handshakesLeft = HANDSHAKES_MAX;
  private isEncrypted = false;
  private header: number[] = [];
  /** Of the record that is under way. */
  private recordBytesLeft = 0;

  /** @param connection is open; it is read and written from here alone */
  constructor(private readonly connection: Socket) {
    super();
    connection
      .on('data', (chunk: Buffer) => this.receive(chunk))
      .on('end', () => this.push(null))
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy());
  }

  /** The handshake is over. @param secured what decrypts it: whatever is written there begins a further response */
  handshakeEnded(secured: Socket): void {
    this.secured = secured;
  }

  override _read(): void {
    this.connection.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, written: (error?: Error | null) => void): void {
    this.connection.write(chunk, encoding, written);
  }

  override _final(ended: () => void): void {
    this.connection.end(ended);
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    this.connection.destroy();
    destroyed(error);
  }

  private receive(chunk: Buffer): void {
    const { bytesWritten = 0 } = this.secured ?? {};
    if (bytesWritten !== this.requestBytes) {
      this.requestBytes = bytesWritten;
      this.bytesLeft = RESPONSE_BYTES_MAX;
      this.recordsLeft = RECORDS_MAX;
    }
    const within = this.within(chunk);
    if (!this.push(chunk.subarray(0, within))) this.connection.pause();
    if (within === chunk.length) return;
    this.connection.removeAllListeners('data').pause();
    // Behind the reading of what was within bounds: a long body is cut there, and not taken for this.
    setImmediate(() => (this.secured ?? this).destroy(TOO_LONG));
  }

  /** How many of these bytes are within bounds. */
  private within(chunk: Buffer): number {
    const end = Math.min(chunk.length, this.bytesLeft);
    this.bytesLeft -= end;
    for (let at = 0; at < end;) {
      const inRecord = Math.min(this.recordBytesLeft, end - at);
      this.recordBytesLeft -= inRecord;
      at += inRecord;
      if (at < end && !this.takeHeader(chunk[at++] ?? 0)) return at;
    }
    return end;
  }

  /** @returns whether the record may come */
  private takeHeader(byte: number): boolean {
    this.header.push(byte);
    if (this.header.length < HEADER_BYTES) return true;
    const [type = 0, , , high = 0, low = 0] = this.header;
    this.header = [];
    this.recordBytesLeft = high * 256 + low;
    this.recordsLeft -= 1;
    this.isEncrypted ||= type === CHANGE_CIPHER_SPEC;
    if (this.isEncrypted && type === HANDSHAKE) this.handshakesLeft -= 1;
    return this.recordsLeft >= 0 && this.handshakesLeft >= 0;
  }
}
