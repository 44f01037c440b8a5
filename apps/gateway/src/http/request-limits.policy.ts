import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';

/** Limits of the HTTP server. The largest body: docs/api-behaviour.md#body-size; the others are ours. */
export const httpLimits = {
  uriBytesMax: 8_192,
  headerBytesMax: 16_384,
  /**
   * Higher than both together, so that a request that the parser accepts is answered 414 or 431; lower than one read of a
   * socket (64 KiB), so that most of those that it refuses get their own code as well.
   */
  parserBytesMax: 49_152,
  /**
   * Of a body that waits to be read, a connection holds so much and one reading of its socket (64 KiB) more: in chunks of
   * one byte, 500 bytes of memory for each of 12,000 chunks at most.
   */
  unreadBytesMax: 1_024,
  bodyBytesMax: 1_048_576,
  /** Of forms that a person fills in: reading JSON of strangers must cost little. */
  appBodyBytesMax: 16_384,
  /** Later than every deadline below it and than the slowest body: it only ends what hangs by a bug. */
  handlerTimeoutMs: 50_000,
  /** The same for a body that is read as a stream: the time that the gateway itself takes is not its client's. */
  streamHandlerTimeoutMs: 600_000,
} as const;

/**
 * How a body is treated: parsed as JSON, passed on as bytes, left to the handler as a stream of JSON, or discarded where
 * the route takes none.
 */
export type BodyUse = 'json' | 'bytes' | 'stream' | 'ignored';

/** What is wrong with the request line and headers of a request; null when nothing is. */
export function refusalOfHead(head: {
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
}): AppError | null {
  if (Buffer.byteLength(head.url) > httpLimits.uriBytesMax) return new AppError(gatewayErrors.URI_TOO_LONG);
  let bytes = 0;
  let hosts = 0;
  for (let index = 0; index < head.rawHeaders.length; index += 2) {
    const name = head.rawHeaders[index] ?? '';
    // Headers are latin-1: characters are bytes. `: ` and the line's end are four more.
    bytes += name.length + (head.rawHeaders[index + 1]?.length ?? 0) + 4;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (bytes > httpLimits.headerBytesMax) return new AppError(gatewayErrors.HEADERS_TOO_LARGE);
  // RFC 9112, 3.2: exactly one, but for HTTP/1.0, which knows none.
  if (hosts > 1 || (hosts === 0 && head.httpVersion !== '1.0')) {
    return new AppError(serviceErrors.VALIDATION_FAILED, 'The request must have exactly one `Host` header');
  }
  return null;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What is wrong with the headers that describe a body; null when nothing is. Of one that is ignored, its size alone counts. */
export function refusalOfBodyHeaders(
  headers: Headers,
  { use, bytesMax }: { readonly use: BodyUse; readonly bytesMax: number },
): AppError | null {
  const refusal = use === 'ignored' ? null : refusalOfMedia(headers, use !== 'bytes');
  if (refusal) return refusal;
  return Number(headers['content-length'] ?? 0) > bytesMax ? new AppError(gatewayErrors.PAYLOAD_TOO_LARGE) : null;
}

function refusalOfMedia(headers: Headers, isJson: boolean): AppError | null {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && String(encoding).toLowerCase() !== 'identity') {
    return new AppError(gatewayErrors.UNSUPPORTED_MEDIA_TYPE, '`Content-Encoding` must be identity or absent');
  }
  // The parser undoes chunks alone: what another coding hides would be read as the body itself.
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && String(coding).trim().toLowerCase() !== 'chunked') {
    return new AppError(gatewayErrors.UNSUPPORTED_MEDIA_TYPE, '`Transfer-Encoding` must be chunked or absent');
  }
  const hasBody = coding !== undefined || Number(headers['content-length'] ?? 0) > 0;
  const contentType = headers['content-type'];
  const isWrong = isJson && (hasBody || contentType !== undefined) && !isJsonType(String(contentType ?? ''));
  return isWrong ? new AppError(gatewayErrors.UNSUPPORTED_MEDIA_TYPE) : null;
}

/** `application/json`, in UTF-8 if it names a charset. Source: RFC 8259, 8.1. */
function isJsonType(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.split(';');
  if (type.trim().toLowerCase() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim().toLowerCase() !== 'charset' || /^"?utf-?8"?$/i.test(value.trim());
  });
}
