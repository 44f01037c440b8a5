import { exampleIds } from '../../description/example-values.js';
import { About } from '../../http/input/field-description.js';
import { IsOptional } from 'class-validator';
import { TextByName } from '../../http/input/text-by-name.decorator.js';
import { CodePoints, IsCuid } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';

/** The body of `POST /v1/messages`. Source: docs/api-behaviour.md#messages-send. */
export class SendMessageBody {
  @About("The recipient's phone, E.164 preferred.")
  @CodePoints(3, 32)
  to = '';

  @About('The text of the message.')
  @CodePoints(1, 4_096)
  text = '';

  @About("The channel to send from; left out or null, the organization's default one.")
  @IsOptional()
  @IsCuid()
  messagingChannelId: string | null | undefined;

  @About(
    'Your own name for the message: shown with it wherever it is shown, never sent to the contact. It need not be unique.',
  )
  @IsOptional()
  @CodePoints(1, 128)
  clientReference: string | null | undefined;

  @About('Your own notes: shown with the message wherever it is shown, never sent to the contact.')
  @IsOptional()
  @TextByName({ entriesMax: 16, nameMax: 40, valueMax: 500 })
  metadata: Readonly<Record<string, string>> | null | undefined;
}

/** The body in the description. */
export const sendMessageBody: BodyDocs = {
  shape: SendMessageBody,
  examples: {
    text: { to: '+14155550123', text: 'Your order 4711 is on its way.' },
    withReference: {
      to: '+14155550123',
      text: 'Your order 4711 is on its way.',
      clientReference: 'order-4711',
      metadata: { campaign: 'spring', customer: '8821' },
    },
    fromChannel: { to: '+14155550123', text: 'Hello', messagingChannelId: exampleIds.channel },
  },
};
