import { describe, expect, it } from '@jest/globals';
import { optOutCreated } from '@switchboard/contracts/contacts/events';
import type { EventDefinition, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { conversationUpdated, messageAccepted, messageReceived } from '@switchboard/contracts/messaging/events';
import { BODY_BYTES_MAX, publicEventOf } from './event-body.policy.js';

const at = '2026-01-02T03:04:05.678Z';

function envelopeOf(event: EventDefinition, data: unknown, sequence: number | null): EventEnvelope {
  const { subject } = event;
  return {
    id: 'cevent01',
    subject,
    organizationId: 'corg0001',
    aggregateId: 'cconv001',
    sequence,
    occurredAt: at,
    data,
  };
}

describe('the public form of an event', () => {
  it('has the resource in full under its own name, and nothing else of the internal event', () => {
    const message = { id: 'cmsg0001', text: 'hello' };
    const event = publicEventOf(envelopeOf(messageReceived, { message, recipientIndex: 3 }, 7));
    expect(event).toMatchObject({ id: 'cevent01', type: 'message.received', line: 'cconv001', occurredAt: at });
    expect(event?.body).toBe(
      JSON.stringify({
        event: 'message.received',
        timestamp: at,
        organizationId: 'corg0001',
        data: { id: 'cevent01', sequence: 7, message },
      }),
    );
  });

  it('names the channel of an opt-out, and has no order', () => {
    const data = { optOut: { id: 'coptout1', messagingChannelId: null }, messagingChannelId: 'cchan001' };
    const event = publicEventOf(envelopeOf(optOutCreated, data, null));
    expect(event).toMatchObject({ type: 'optout.created', line: '' });
    expect(JSON.parse(event?.body ?? '')).toMatchObject({ data: { id: 'cevent01', ...data } });
  });

  it('is null for what webhooks do not carry', () => {
    for (const event of [messageAccepted, conversationUpdated]) {
      expect(publicEventOf(envelopeOf(event, { message: { id: 'cmsg0001' } }, 1))).toBeNull();
    }
  });

  it('summarises the resource of a body of more than 256 KB, and of no smaller one', () => {
    const bodyOf = (length: number, letter = 'é') => {
      const message = { id: 'cmsg0001', text: letter.repeat(length) };
      return publicEventOf(envelopeOf(messageReceived, { message }, 1));
    };
    const bytesOf = (length: number) => Buffer.byteLength(bodyOf(length)?.body ?? '');
    const framing = bytesOf(0);
    const most = Math.floor((BODY_BYTES_MAX - framing) / 2);
    expect(bodyOf(most)?.body).not.toContain('summarised');
    expect(bytesOf(most)).toBeGreaterThan(BODY_BYTES_MAX - 2);
    expect(bodyOf(BODY_BYTES_MAX - framing, 'x')?.body).not.toContain('summarised');
    expect(bodyOf(BODY_BYTES_MAX - framing + 1, 'x')?.body).toContain('summarised');
    const tooLarge = bodyOf(most + 1);
    expect(JSON.parse(tooLarge?.body ?? '')).toMatchObject({
      data: { id: 'cevent01', sequence: 1, message: { id: 'cmsg0001', summarised: true } },
    });
  });
});
