import { describe, expect, it } from '@jest/globals';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import type { RpcClient } from '@switchboard/nats';
import { OutcomeUnknown } from '@switchboard/postgres';
import type { Log } from '@switchboard/platform';
import type { ChannelRepository } from '../channel/channel.repository.js';
import type { ContactRepository } from '../contact/contact.repository.js';
import type { Dispatcher } from '../dispatch/dispatcher.js';
import type { ReleasedLeases } from '../dispatch/released-leases.js';
import type { AcceptMessage, AcceptRequest, AcceptResult } from './accept-message.batch.js';
import type { IdempotentReplay } from './idempotent-replay.js';
import { SendMessage } from './send-message.js';

const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const request = { messageId: 'c0123456789abcdefghijklmn', to: '+14155550123', text: 'hello', messagingChannelId: null };
const patient = new AbortController().signal;

describe('a send of which it cannot be learned whether it is stored', () => {
  it('is answered 503 with the id of its message, and given back: nobody begins it any more', async () => {
    const asked: AcceptRequest[] = [];
    const { send, givenBack } = sendMessageOf(async (item) => {
      asked.push(item);
      throw new OutcomeUnknown(new Error('cut'));
    });
    const answer = send(AbortSignal.abort());
    const { messageId } = request;
    await expect(answer).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', messageId });
    expect(asked).toHaveLength(1);
    expect(givenBack).toEqual([asked[0]?.lease]);
  });

  it('is asked for again under the same lease, and not given back once it is known', async () => {
    const leases: string[] = [];
    const { send, givenBack } = sendMessageOf(async (item) => {
      leases.push(item.lease);
      if (leases.length === 1) throw new OutcomeUnknown(new Error('cut'));
      return { verdict: 'opted-out' };
    });
    await expect(send(patient)).rejects.toMatchObject({ code: 'CONTACT_OPTED_OUT' });
    expect(new Set(leases).size).toBe(1);
    expect([leases.length, givenBack]).toEqual([2, []]);
  });
});

/** The use case over an accept of the test's own. */
function sendMessageOf(execute: (item: AcceptRequest) => Promise<AcceptResult>): {
  send(stopping: AbortSignal): Promise<unknown>;
  readonly givenBack: string[];
} {
  const givenBack: string[] = [];
  const unbegun = { giveBack: (lease: string) => void givenBack.push(lease) } as ReleasedLeases;
  const unused = {} as Dispatcher & ChannelRepository & ContactRepository & RpcClient & IdempotentReplay;
  const accept = { execute } as Partial<AcceptMessage> as AcceptMessage;
  const send = (stopping: AbortSignal): Promise<unknown> => {
    const useCase = new SendMessage(accept, unused, unbegun, unused, unused, unused, unused, stopping, log);
    return useCase.execute(systemPrincipal('c1', 'test'), request, patient);
  };
  return { send, givenBack };
}
