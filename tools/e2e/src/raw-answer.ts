/** An answer as it came over a socket, read whole. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of all of it, its head included. */
  readonly bytes: number;
}

/**
 * Reads the first answer of what a socket has brought; null while it is not all there. For answers with
 * `Content-Length`, as the gateway gives them.
 *
 * @param received in latin1, a character for each byte
 */
export function rawAnswer(received: string): RawAnswer | null {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const bytes = end + 4 + Number(headers.get('content-length') ?? 0);
  if (received.length < bytes) return null;
  const text = Buffer.from(received.slice(end + 4, bytes), 'latin1').toString();
  return { status: Number(statusLine.split(' ')[1]), headers, text, bytes };
}
