import type { AppendFile } from '../append-file/append-file.js';
import type { WriteGroup } from '../append-file/write-group.js';
import { asObject, asText, parseJson } from '../json/json-value.js';
import { RequestIndex } from './request-index.js';

/** How the line of an answer begins. */
const ANSWER = '{"of":';
/** The last member of an arrival: its quotes are in no string before it, where they would be escaped. */
const BODY = ',"body":';

/** A request to send as it came, before anything was decided about it. */
export interface Arrival {
  readonly phoneNumberId: string;
  readonly reference: string | null;
  readonly to: string | null;
  /** The body's text, and whether it is JSON; what is not is recorded as a string. */
  readonly body: { readonly text: string; readonly isJson: boolean };
  readonly arrivedAtMs: number;
}

/** A recorded request with its outcome. Times are ISO 8601 in UTC. */
export interface LoggedRequest {
  readonly reference: string | null;
  readonly to: string | null;
  readonly phoneNumberId: string;
  readonly arrivedAt: string;
  readonly answeredAt: string | null;
  readonly body: unknown;
  /** Null when the connection was cut instead, or while the request is open. */
  readonly answer: { readonly status: number; readonly body: unknown } | null;
  /** `open` has no answer yet; `cut` never got one, because of a knob, the client or the end of the process. */
  readonly outcome: 'answered' | 'cut' | 'open';
  /** The id of the accepted message, also when the answer that carried it was cut; null for a refusal. */
  readonly messageId: string | null;
}

/** Names an arrival to `answered` and `cut`. */
export interface Ticket {
  readonly number: number;
  readonly generation: number;
}

/**
 * Every request to send that was read, in the order of arrival, never deduplicated. Two lines each: the arrival, and later
 * the answer; both are written before the answer goes out (see WriteGroup). The file survives restarts.
 */
export class RequestLog {
  #index = new RequestIndex();
  /** Rises with every `clear`: the answer to a request that was forgotten meanwhile must not be given to another. */
  #generation = 0;
  /** Requests below this number are from an earlier run: what has no answer will never have one. */
  #firstOfRun = 0;

  constructor(
    private readonly file: AppendFile,
    private readonly group: WriteGroup,
  ) {
    this.#readBack();
    group.add(file);
  }

  /** Number of requests recorded. */
  get size(): number {
    return this.#index.size;
  }

  /** Records a request that has been read. */
  arrived(arrival: Arrival): Ticket {
    const { text, isJson } = arrival.body;
    // JSON may hold newlines between its tokens, and only there.
    const body = isJson
      ? text.includes('\n') || text.includes('\r')
        ? text.replaceAll(/[\r\n]/g, ' ')
        : text
      : JSON.stringify(text);
    const line =
      `{"arrived":${arrival.arrivedAtMs},"phoneNumberId":${JSON.stringify(arrival.phoneNumberId)},` +
      `"reference":${JSON.stringify(arrival.reference)},"to":${JSON.stringify(arrival.to)}${BODY}${body}}`;
    const { offset, bytes } = this.file.append(line);
    this.group.touch();
    return { number: this.#add(arrival, offset, bytes), generation: this.#generation };
  }

  /** Records the answer that is about to be sent; `body` is JSON, or '' for none. */
  answered(ticket: Ticket, answer: { status: number; body: string; messageId: string | null; atMs: number }): void {
    const { status, body, messageId, atMs } = answer;
    this.#close(
      ticket,
      `"at":${atMs},"status":${status},"messageId":${JSON.stringify(messageId)},"body":${body || 'null'}`,
    );
  }

  /** Records that the connection was or will be cut instead of an answer. */
  cut(ticket: Ticket, messageId: string | null): void {
    this.#close(ticket, `"at":null,"messageId":${JSON.stringify(messageId)}`);
  }

  /** The request with a number below `size`. */
  read(number: number): LoggedRequest {
    const entry = this.#index.get(number);
    const arrival =
      asObject(parseJson(this.file.read({ offset: entry.arrivalOffset, bytes: entry.arrivalBytes }))) ?? {};
    const line = entry.answerBytes > 0 ? this.file.read({ offset: entry.answerOffset, bytes: entry.answerBytes }) : '';
    const answer = asObject(parseJson(line));
    const isAnswered = typeof answer?.['at'] === 'number';
    return {
      reference: asText(arrival['reference']) ?? null,
      to: asText(arrival['to']) ?? null,
      phoneNumberId: asText(arrival['phoneNumberId']) ?? '',
      arrivedAt: new Date(entry.arrivedAtMs).toISOString(),
      answeredAt: isAnswered ? new Date(Number(answer['at'])).toISOString() : null,
      body: arrival['body'] ?? null,
      answer: isAnswered ? { status: Number(answer['status']), body: answer['body'] ?? null } : null,
      outcome: isAnswered ? 'answered' : answer || number < this.#firstOfRun ? 'cut' : 'open',
      messageId: asText(answer?.['messageId']) ?? null,
    };
  }

  /** Numbers of the requests with a reference, oldest first. */
  numbersByReference(reference: string): readonly number[] {
    return this.#index.byReference(reference);
  }

  /** Numbers of the requests to a recipient, however its number is written, oldest first. */
  numbersByRecipient(to: string): readonly number[] {
    return this.#index.byRecipient(digitsOf(to));
  }

  /** The number of the first request that arrived at or after a time; `size` when there is none. */
  firstSince(atMs: number): number {
    return this.#index.firstSince(atMs);
  }

  /** Forgets every request, those that are open included. */
  clear(): void {
    this.file.clear();
    this.#index = new RequestIndex();
    this.#generation += 1;
    this.#firstOfRun = 0;
  }

  #add(
    arrival: Pick<Arrival, 'arrivedAtMs' | 'reference' | 'to'>,
    arrivalOffset: number,
    arrivalBytes: number,
  ): number {
    const { arrivedAtMs, reference, to } = arrival;
    return this.#index.add({ arrivedAtMs, arrivalOffset, arrivalBytes, reference, recipient: digitsOf(to ?? '') });
  }

  #close(ticket: Ticket, members: string): void {
    if (ticket.generation !== this.#generation) return;
    const { offset, bytes } = this.file.append(`${ANSWER}${ticket.number},${members}}`);
    this.#index.answered(ticket.number, offset, bytes);
    this.group.touch();
  }

  /** Bodies are most of the file and are not parsed: no request is taken before this has ended. */
  #readBack(): void {
    this.file.readLines((line, { offset, bytes }) => {
      if (line.startsWith(ANSWER)) {
        this.#index.answered(Number.parseInt(line.slice(ANSWER.length), 10), offset, bytes);
        return;
      }
      const { arrived, reference, to } = asObject(parseJson(`${line.slice(0, line.indexOf(BODY))}}`)) ?? {};
      if (typeof arrived !== 'number') return;
      this.#add({ arrivedAtMs: arrived, reference: asText(reference) ?? null, to: asText(to) ?? null }, offset, bytes);
    });
    this.#firstOfRun = this.#index.size;
  }
}

function digitsOf(phone: string): string {
  return phone.replaceAll(/\D/g, '');
}
