import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';

/** On a request: its answer may come in several messages. On each of these: how many they are. */
export const PARTS_HEADER = 'Switchboard-Parts';
/** Largest answer in parts. The broker closes the connection of a caller that it holds 64 MiB for. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** A part is so much smaller than a message may be that other answers pass between two of them. */
const PARTS_OF_MESSAGE = 4;

/** Whether the caller takes an answer in several messages. */
export function takesParts(request: MsgHdrs | undefined): boolean {
  return request?.has(PARTS_HEADER) ?? false;
}

/** A part of an answer, as it is sent. */
export interface AnswerPart {
  readonly payload: Uint8Array;
  readonly headers: MsgHdrs;
}

/** Divides an answer that is larger than a message. @param messageBytesMax what a message holds, headers included */
export function partsOf(answer: Uint8Array, messageBytesMax: number): AnswerPart[] {
  const partBytes = Math.ceil(messageBytesMax / PARTS_OF_MESSAGE);
  const count = Math.ceil(answer.length / partBytes);
  const counted = headers();
  counted.set(PARTS_HEADER, String(count));
  return Array.from({ length: count }, (_none, index) => ({
    payload: answer.subarray(index * partBytes, (index + 1) * partBytes),
    headers: counted,
  }));
}

/**
 * Puts the parts of an answer together; they come in order, since one connection sends them on one subject.
 *
 * @returns its JSON as text; null when the messages ended before it was whole
 * @throws what `messages` throws
 */
export async function joinParts(messages: AsyncIterable<Pick<Msg, 'data' | 'headers'>>): Promise<string | null> {
  const parts: Uint8Array[] = [];
  for await (const { data, headers: found } of messages) {
    parts.push(data);
    if (parts.length === Number(found?.get(PARTS_HEADER) || 1)) return Buffer.concat(parts).toString('utf8');
  }
  return null;
}
