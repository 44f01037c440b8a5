import { parentPort } from 'node:worker_threads';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { BulkBody } from './bulk-body.js';
import type { ThreadAnswer, ThreadRequest } from './parsing-thread.protocol.js';
import type { RecipientChunk } from './recipient-chunks.js';
import { release } from './owned-bytes.js';

/*
 * The thread in which bodies of bulk sends are parsed, checked and their numbers read. It works piece by piece, so that
 * bodies take turns. A bug ends the thread: the body at which it came is answered 500, its other bodies 503, and the next
 * body begins another thread.
 */

const bodies = new Map<number, BulkBody>();

parentPort?.on('message', (request: ThreadRequest) => {
  const { kind, body } = request;
  if (kind === 'drop') {
    bodies.delete(body);
    return;
  }
  const answer = answerTo(request, bodies.get(body) ?? new BulkBody());
  parentPort?.postMessage(answer, memoryOf(answer));
});

/** What is handed over with an answer instead of being copied. */
function memoryOf(answer: ThreadAnswer): ArrayBuffer[] {
  if (answer.kind === 'chunks') return answer.chunks.map(({ json }) => json.buffer);
  return answer.kind === 'ended' && answer.end.lastChunk ? [answer.end.lastChunk.json.buffer] : [];
}

function answerTo(request: Exclude<ThreadRequest, { kind: 'drop' }>, parser: BulkBody): ThreadAnswer {
  const { kind, body } = request;
  try {
    if (kind === 'piece') {
      bodies.set(body, parser);
      return { kind: 'chunks', body, chunks: pushed(parser, request.bytes) };
    }
    bodies.delete(body);
    return { kind: 'ended', body, end: parser.end() };
  } catch (error) {
    bodies.delete(body);
    if (!(error instanceof AppError)) throw error;
    return { kind: 'refused', body, failure: { code: error.code, message: error.message } };
  }
}

function pushed(parser: BulkBody, { buffer }: Uint8Array<ArrayBuffer>): readonly RecipientChunk[] {
  try {
    return parser.push(Buffer.from(buffer));
  } finally {
    release(buffer);
  }
}
