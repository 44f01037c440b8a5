import type { ListMessagesRequest } from '@switchboard/contracts/messaging/rpc';
import type { FastifyRequest } from 'fastify';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { readId, readQuery } from '../../http/input/read-input.js';

/** @throws AppError VALIDATION_FAILED */
export function readListMessages(request: FastifyRequest): ListMessagesRequest {
  return { conversationId: readId(request), ...pageOf(readQuery(PageQuery, request)) };
}
