import type { Socket } from 'node:net';

/** An interim response, up to its status: of a response nothing else is read here. */
const INTERIM = /^HTTP\/1\.\d 1\d\d$/;
const INTERIM_LENGTH = 12;
/** Where the first digit of the status is. */
const CLASS_AT = 9;
const [CR, LF, ONE, THREE] = [0x0d, 0x0a, 0x31, 0x33];
/** Ends a header. */
const HEADER_END = [CR, LF, CR, LF];

/**
 * Has `100 Continue` passed over as other interim responses are, and counted with them: its status is read as 103. undici ends the connection
 * when it has not asked for one, which a client must be able to parse all the same. Source: RFC 9110, 15.2.
 *
 * To be called before undici has the socket, of which it takes what `read` returns.
 */
export function allowContinue(socket: Socket): void {
  const scan = new InterimScan();
  const read = socket.read.bind(socket);
  let requestBytes = -1;
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (!(chunk instanceof Uint8Array)) return chunk;
    const { bytesWritten } = socket;
    // A further request has been written: this begins its response.
    if (bytesWritten !== requestBytes) scan.begin();
    requestBytes = bytesWritten;
    scan.take(chunk);
    return chunk;
  };
}

/** Follows the interim responses of a request, wherever reads divide them. */
class InterimScan {
  private part: 'status' | 'header' | 'response' = 'response';
  private line = '';
  /** Bytes of a header's end that have come. */
  private ended = 0;

  begin(): void {
    this.part = 'status';
    this.line = '';
  }

  /** Changes the status of each `100 Continue`, in place. */
  take(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && this.part !== 'response'; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.part === 'header') this.takeHeader(byte);
      else if (this.takeStatus(byte)) bytes[at] = THREE;
    }
  }

  /** @returns whether it is the last digit of the status 100 */
  private takeStatus(byte: number): boolean {
    // Empty lines before it are passed over by the parser, too.
    if (this.line === '' && (byte === CR || byte === LF)) return false;
    if (this.line.length === CLASS_AT && byte !== ONE) this.part = 'response';
    this.line += String.fromCharCode(byte);
    if (this.line.length < INTERIM_LENGTH) return false;
    this.part = INTERIM.test(this.line) ? 'header' : 'response';
    this.ended = 0;
    return this.part === 'header' && this.line.endsWith('100');
  }

  private takeHeader(byte: number): void {
    if (byte === HEADER_END[this.ended]) this.ended += 1;
    else this.ended = byte === CR ? 1 : 0;
    if (this.ended === HEADER_END.length) this.begin();
  }
}
