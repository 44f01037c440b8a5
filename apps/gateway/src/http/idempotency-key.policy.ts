import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';

/** Printable ASCII, 1 to 200 characters. Source: docs/api-behaviour.md#idempotency; RFC 9110, 5.5 for the characters. */
const FORMAT = /^[\x20-\x7e]{1,200}$/;

/**
 * Reads the one `Idempotency-Key` of a request; its quotation marks, if it has any, are part of it.
 *
 * @param rawHeaders names and values in turn: Node joins what comes twice
 * @throws AppError VALIDATION_FAILED when it is given twice, is empty, too long, or of other characters
 */
export function readIdempotencyKey(rawHeaders: readonly string[]): string {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'idempotency-key') values.push(rawHeaders[index + 1] ?? '');
  }
  const [key = ''] = values;
  if (values.length > 1) throw new AppError(serviceErrors.VALIDATION_FAILED, '`Idempotency-Key` must be given once');
  if (FORMAT.test(key)) return key;
  const message = '`Idempotency-Key` must be 1 to 200 printable ASCII characters';
  throw new AppError(serviceErrors.VALIDATION_FAILED, message);
}
