import { Controller, Get, Param } from '@nestjs/common';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { MessageTimelineView } from '@switchboard/contracts/messaging/http';
import { Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { MessageTimeline } from './message-timeline.js';

/** The steps of a message, by key and for every member. Source: docs/api-behaviour.md#timeline. */
@Controller(['v1/messages', 'app/api/messages'])
export class MessageTimelineController {
  constructor(private readonly timeline: MessageTimeline) {}

  @Get(':id/timeline')
  @Declare({
    access: 'key-or-session',
    scope: 'messages:read',
    errors: [messagingErrors.MESSAGE_NOT_FOUND],
    cost: 1,
    docs: {
      operationId: 'getMessageTimeline',
      tag: 'Messages',
      summary: 'Read what happened to a message',
      description:
        'Every step so far, in order: accepted, handed to the provider, refused with its code and what that means, when it is ' +
        'retried, sent, delivered, read, until when its outcome is unknown, and each webhook that was informed. `what` is one ' +
        'of the values below; `detail` is a sentence for people, whose wording may change. It holds no text of the message, no ' +
        'token and no phone number. Deliveries to webhooks are shown for as long as their events are kept, at least 7 days.',
      answers: { 200: { description: 'The steps, the first one first.', body: 'MessageTimeline' } },
    },
  })
  get(@Principal() principal: Principal, @Param('id') id: string): Promise<MessageTimelineView> {
    return this.timeline.of(principal, id);
  }
}
