import type { FastifyRequest } from 'fastify';
import { readBody } from '../input/read-input.js';
import { CodePoints, Cuid } from '../input/text.decorator.js';

/** The body of `POST /v1/messages`. Source: specification, "POST /v1/messages". */
export class SendMessageBody {
  @CodePoints(3, 32)
  to = '';

  @CodePoints(1, 4_096)
  text = '';

  @Cuid({ optional: true })
  messagingChannelId: string | undefined;
}

/** @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readSendMessage(request: FastifyRequest): SendMessageBody {
  return readBody(SendMessageBody, request);
}
