import { hasVisible } from '@switchboard/contracts/grammar/one-line';
import type { Dispatcher } from 'undici';
import { outcomeOfError, TOKEN_REFUSED, type CloudError } from './cloud-errors.policy.js';
import type { LineOutcome, LineRequest } from './line.js';

const DEADLINE_MS = 5_000;
const ANSWER_BYTES_MAX = 1024 * 1024;
/** An account has some twenty numbers. */
const PAGE_SIZE = 100;

/**
 * Looks a line up among the numbers of its account, which proves that the token reaches both; never throws.
 *
 * Source: provider's "Get all phone numbers" reference, v23.0 to v25.0.
 */
export async function readLine(dispatcher: Dispatcher, version: string, request: LineRequest): Promise<LineOutcome> {
  const query = `fields=id,display_phone_number,verified_name&limit=${PAGE_SIZE}`;
  try {
    const answer = await dispatcher.request({
      method: 'GET',
      path: `/${version}/${encodeURIComponent(request.businessAccountId)}/phone_numbers?${query}`,
      headers: { authorization: `Bearer ${request.accessToken}` },
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(DEADLINE_MS)]),
    });
    let body = '';
    for await (const chunk of answer.body.setEncoding('utf8')) {
      body += String(chunk);
      if (body.length > ANSWER_BYTES_MAX) throw new Error('the answer is larger than 1 MiB');
    }
    return outcomeOf(answer.statusCode, objectOf(parsed(body)), request.phoneNumberId);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { state: 'unavailable', reason };
  }
}

function outcomeOf(status: number, answer: Record<string, unknown> | null, phoneNumberId: string): LineOutcome {
  const error = objectOf(answer?.['error']);
  if (typeof error?.['code'] === 'number') return refusalOf(error as unknown as CloudError, status);
  if (status === 401) return { state: 'refused', ...TOKEN_REFUSED };
  const numbers = answer?.['data'];
  if (status >= 400 || !Array.isArray(numbers)) return { state: 'unavailable', reason: `HTTP ${status}` };
  const line = numbers.map(objectOf).find((one) => String(one?.['id']) === phoneNumberId);
  const digits = String(line?.['display_phone_number'] ?? '').replaceAll(/\D/g, '');
  if (!line || digits === '') {
    return { state: 'refused', kind: 'rejected', code: '100', message: 'the account has no such phone number' };
  }
  const phone = `+${digits}`;
  const name = line['verified_name'];
  return { state: 'found', phone, name: typeof name === 'string' && hasVisible(name) ? name.slice(0, 256) : phone };
}

function refusalOf(error: CloudError, httpStatus: number): LineOutcome {
  const outcome = outcomeOfError(error, httpStatus);
  if (outcome.state !== 'refused') return { state: 'unavailable', reason: `upstream error ${error.code}` };
  const kind = outcome.kind === 'disconnected' ? 'disconnected' : 'rejected';
  return { state: 'refused', kind, code: outcome.code, message: outcome.message };
}

function objectOf(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Not JSON: the caller decides by the HTTP status alone.
    return null;
  }
}
