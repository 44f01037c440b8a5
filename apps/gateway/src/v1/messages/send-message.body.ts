import type { FastifyRequest } from 'fastify';
import { exampleIds } from '../../description/example-values.js';
import type { BodyDocs } from '../../http/route-docs.js';
import { readBody } from '../../http/input/read-input.js';
import { CodePoints, Cuid } from '../../http/input/text.decorator.js';

/** The body of `POST /v1/messages`. Source: docs/api-behaviour.md#messages-send. */
export class SendMessageBody {
  @CodePoints(3, 32, { about: "The recipient's phone, E.164 preferred." })
  to = '';

  @CodePoints(1, 4_096, { about: 'What to say.' })
  text = '';

  @Cuid({ about: "The channel to send from; left out, the organization's default one.", optional: true })
  messagingChannelId: string | undefined;
}

/** What the description says of the body. */
export const sendMessageBody: BodyDocs = {
  shape: SendMessageBody,
  examples: {
    text: { to: '+14155550123', text: 'Your order 4711 is on its way.' },
    fromChannel: { to: '+14155550123', text: 'Hello', messagingChannelId: exampleIds.channel },
  },
};

/** @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readSendMessage(request: FastifyRequest): SendMessageBody {
  return readBody(SendMessageBody, request);
}
