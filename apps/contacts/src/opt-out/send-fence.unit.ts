import { expect, it } from '@jest/globals';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { Budget, RpcClient, type LinkState, type NatsConnection } from '@switchboard/nats';
import type { Log } from '@switchboard/platform';
import type { MergedContactRepository } from '../contact/merged-contact.repository.js';
import { SendFence } from './send-fence.client.js';

const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

it('messaging is asked again where a process of it starts before it answers: the gateway takes a refusal for an answer', async () => {
  const asked: string[] = [];
  let start = (): void => undefined;
  const connection = {
    request: async (subject: string) => {
      asked.push(subject);
      if (asked.length % 2 === 0) return { json: () => ({ ok: {} }) };
      queueMicrotask(() => start());
      return new Promise<never>(() => undefined);
    },
  } as Partial<NatsConnection> as NatsConnection;
  const link = { isAway: false, whenAway: () => () => undefined } as Partial<LinkState> as LinkState;
  const starts = { whenStarted: (_service: string, onStart: () => void) => ((start = onStart), () => undefined) };
  const merged = { findOf: async () => [] } as Partial<MergedContactRepository> as MergedContactRepository;
  const fence = new SendFence(new RpcClient(connection, { link, starts }), merged, log);
  const budget = new Budget(600_000);
  const principal = systemPrincipal('corganization', 'test');
  await fence.forget(principal, { contactId: 'ccontact', version: 2 }, budget);
  expect(asked).toEqual([asked[0], asked[0]]);
  budget.close();
});
