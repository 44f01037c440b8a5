import { createPublicKey, diffieHellman, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { TestCertificate } from './test-certificates.js';
import { expandLabel, extract, recordOf, RecordKeys, sha256 } from './tls13-keys.js';

const HANDSHAKE = 22;
const APPLICATION_DATA = 23;
const CHANGE_CIPHER_SPEC = recordOf(20, Buffer.of(1));
const KEY_UPDATE = Buffer.of(24, 0, 0, 1, 0);
const X25519 = 0x001d;
const KEY_SHARE = 51;
/** Of an X25519 key in DER; its 32 bytes follow. Source: RFC 8410, 4. */
const X25519_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');
const EMPTY_HASH = sha256();

/** A field behind its length. */
function sized(lengthBytes: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(body.length, 0, lengthBytes);
  return Buffer.concat([length, body]);
}

const u16 = (value: number): Buffer => Buffer.of(value >> 8, value & 255);
const message = (type: number, ...body: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.of(type), sized(3, ...body)]);

/** @returns what is repeated of a ClientHello, and its X25519 key. Source: RFC 8446, 4.1.2 and 4.2.8 */
function readClientHello(hello: Buffer): { session: Buffer; share: Buffer } {
  let at = 4 + 2 + 32;
  const field = (lengthBytes: number): Buffer => {
    const end = at + lengthBytes + hello.readUIntBE(at, lengthBytes);
    const body = hello.subarray(at + lengthBytes, end);
    at = end;
    return body;
  };
  const session = field(1);
  field(2);
  field(1);
  for (at += 2; at < hello.length;) {
    const type = hello.readUInt16BE(at);
    at += 2;
    const extension = field(2);
    if (type !== KEY_SHARE) continue;
    for (let share = 2; share < extension.length;) {
      const length = extension.readUInt16BE(share + 2);
      const key = extension.subarray(share + 4, share + 4 + length);
      if (extension.readUInt16BE(share) === X25519) return { session, share: key };
      share += 4 + length;
    }
  }
  throw new Error('the client offers no X25519 key');
}

/**
 * A connection of a receiver that may change its keys at any moment, which Node's own server cannot: TLS 1.3 with X25519,
 * TLS_AES_128_GCM_SHA256 and an ECDSA certificate. The client's own changes of keys are not read.
 */
export class Tls13Connection {
  private pending = Buffer.alloc(0);
  private ours: RecordKeys | null = null;
  private theirs: RecordKeys | null = null;
  private behindFinished: RecordKeys | null = null;

  constructor(
    readonly socket: Socket,
    private readonly certificate: TestCertificate,
    private readonly request: (connection: Tls13Connection, bytes: Buffer) => void,
  ) {
    socket.on('error', () => undefined).on('data', (bytes: Buffer) => this.receive(bytes));
  }

  /** @returns the record of some bytes of a response */
  data(text: string): Buffer {
    return this.seal(APPLICATION_DATA, Buffer.from(text));
  }

  /** @returns a KeyUpdate; what follows is sealed with the next keys */
  keyUpdate(): Buffer {
    const record = this.seal(HANDSHAKE, KEY_UPDATE);
    this.ours = this.ours?.next() ?? null;
    return record;
  }

  private seal(type: number, body: Buffer): Buffer {
    if (this.ours === null) throw new Error('the handshake has not begun');
    return this.ours.seal(type, body);
  }

  private receive(bytes: Buffer): void {
    this.pending = Buffer.concat([this.pending, bytes]);
    while (this.pending.length >= 5) {
      const end = 5 + this.pending.readUInt16BE(3);
      if (this.pending.length < end) return;
      const record = this.pending.subarray(0, end);
      this.pending = this.pending.subarray(end);
      this.take(record);
    }
  }

  private take(record: Buffer): void {
    if (record[0] === HANDSHAKE) return this.greet(record.subarray(5));
    if (record[0] !== APPLICATION_DATA || this.theirs === null) return;
    const opened = this.theirs.open(record);
    if (this.behindFinished === null) return this.request(this, opened);
    this.theirs = this.behindFinished;
    this.behindFinished = null;
  }

  /** Answers a ClientHello with all up to Finished. Source: RFC 8446, 2 and 7.1. */
  private greet(hello: Buffer): void {
    const { session, share } = readClientHello(hello);
    const own = generateKeyPairSync('x25519');
    const publicKey = createPublicKey({ key: Buffer.concat([X25519_PREFIX, share]), format: 'der', type: 'spki' });
    const shared = diffieHellman({ privateKey: own.privateKey, publicKey });
    const ownShare = own.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const extensions = [
      [u16(43), sized(2, u16(0x0304))],
      [u16(KEY_SHARE), sized(2, u16(X25519), sized(2, ownShare))],
    ].flat();
    const chosen = [u16(0x0303), randomBytes(32), sized(1, session), u16(0x1301), Buffer.of(0)];
    const serverHello = message(2, ...chosen, sized(2, ...extensions));

    const early = extract(Buffer.alloc(32), Buffer.alloc(32));
    const handshake = extract(expandLabel(early, 'derived', EMPTY_HASH), shared);
    const begun = sha256(hello, serverHello);
    this.ours = new RecordKeys(expandLabel(handshake, 's hs traffic', begun));
    this.theirs = new RecordKeys(expandLabel(handshake, 'c hs traffic', begun));

    const der = new X509Certificate(this.certificate.cert).raw;
    const encryptedExtensions = message(8, sized(2));
    const certificate = message(11, sized(1), sized(3, sized(3, der), sized(2)));
    const flight = [hello, serverHello, encryptedExtensions, certificate];
    const signed = Buffer.concat([
      Buffer.alloc(64, ' '),
      Buffer.from('TLS 1.3, server CertificateVerify\0'),
      sha256(...flight),
    ]);
    flight.push(message(15, u16(0x0403), sized(2, sign('sha256', signed, this.certificate.key))));
    flight.push(message(20, this.ours.finished(sha256(...flight))));
    const encrypted = this.seal(HANDSHAKE, Buffer.concat(flight.slice(2)));
    this.socket.write(Buffer.concat([recordOf(HANDSHAKE, serverHello), CHANGE_CIPHER_SPEC, encrypted]));

    const master = extract(expandLabel(handshake, 'derived', EMPTY_HASH), Buffer.alloc(32));
    const ended = sha256(...flight);
    this.ours = new RecordKeys(expandLabel(master, 's ap traffic', ended));
    this.behindFinished = new RecordKeys(expandLabel(master, 'c ap traffic', ended));
  }
}

/** @param request is called with the bytes of each record of a request. @returns a server that listens on a port of its own */
export async function startTls13Receiver(
  certificate: TestCertificate,
  request: (connection: Tls13Connection, bytes: Buffer) => void,
): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => new Tls13Connection(socket.setNoDelay(true), certificate, request));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}
