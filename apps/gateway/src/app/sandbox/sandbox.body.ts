import { IsIn, IsOptional } from 'class-validator';
import { exampleIds } from '../../description/example-values.js';
import { About } from '../../http/input/field-description.js';
import { CodePoints, IsCuid, WrittenPhone } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';

/** Which recipient is played, towards which channel. Source: docs/api-behaviour.md#app-sandbox. */
class PlayedRecipient {
  @About("The recipient's phone.")
  @WrittenPhone()
  from = '';

  @About("The channel that is written to; left out, the organization's default one.")
  @IsOptional()
  @IsCuid()
  messagingChannelId: string | null | undefined;
}

/** The body of `POST /app/api/sandbox/inbound`. */
export class SandboxInboundBody extends PlayedRecipient {
  @About('What the recipient writes.')
  @CodePoints(1, 4_096)
  text = '';

  @About("The recipient's name, as the upstream provider knows it.")
  @IsOptional()
  @CodePoints(1, 256)
  name: string | null | undefined;
}

/** The body in the description. */
export const sandboxInboundBody: BodyDocs = {
  shape: SandboxInboundBody,
  examples: {
    text: { from: '+14155550123', text: 'Where is my order?' },
    toChannel: { from: '+14155550123', name: 'Ada', text: 'STOP', messagingChannelId: exampleIds.channel },
  },
};

/** The body of `POST /app/api/sandbox/read`. */
export class SandboxReadBody {
  @About('The outbound message that the recipient opens.')
  @IsCuid()
  messageId = '';
}

/** The body in the description. */
export const sandboxReadBody: BodyDocs = {
  shape: SandboxReadBody,
  examples: { message: { messageId: exampleIds.outbound } },
};

const values = ['stop', 'resume'] as const;

/** The body of `POST /app/api/sandbox/preferences`. */
export class SandboxPreferenceBody extends PlayedRecipient {
  @About('`stop` opts the recipient out on the channel; `resume` takes that back.')
  @IsIn(values)
  value: (typeof values)[number] = 'stop';
}

/** The body in the description. */
export const sandboxPreferenceBody: BodyDocs = {
  shape: SandboxPreferenceBody,
  examples: {
    stop: { from: '+14155550123', value: 'stop' },
    resume: { from: '+14155550123', value: 'resume', messagingChannelId: exampleIds.channel },
  },
};
