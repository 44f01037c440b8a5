import { describe, expect, it } from '@jest/globals';
import { resolveContactsRpc as rpc } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { errors, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { Budget } from './budget.js';
import type { LinkState } from './link-state.js';
import { CALL_HEADER } from './rpc-call-id.js';
import { RpcClient } from './rpc-client.js';

const principal = systemPrincipal('corg', 'test');
const request = { sightings: [] };
const link = { isAway: false, whenAway: () => () => undefined } as Partial<LinkState> as LinkState;
const noResponder = (): Promise<never> => Promise.reject(new errors.NoRespondersError(rpc.subject));

/** A broker that answers the tries of a call one after the other. */
function clientOf(...answers: (() => Promise<unknown>)[]) {
  const ids: string[] = [];
  let start: () => void = () => undefined;
  const starts = {
    whenStarted: (_service: string, onStart: () => void) => {
      start = onStart;
      return () => undefined;
    },
  };
  const ask = async (_subject: string, _payload: unknown, { headers }: { headers: MsgHdrs }) => {
    ids.push(headers.get(CALL_HEADER));
    const reply = await answers[ids.length - 1]?.();
    return { json: () => ({ ok: reply }) };
  };
  const client = new RpcClient({ request: ask } as unknown as NatsConnection, { link, starts });
  return { client, ids, onStart: () => start() };
}

describe('an rpc that is asked again', () => {
  it('carries one id, by which the service knows its former try', async () => {
    const { client, ids } = clientOf(noResponder, noResponder, async () => 'answer');
    expect(await client.call(rpc, principal, request)).toBe('answer');
    expect(ids).toEqual(Array.from({ length: 3 }, () => ids[0]));
    expect(ids[0]).toMatch(/^c[0-9a-z]+$/);
    const other = clientOf(async () => 'answer');
    await other.client.call(rpc, principal, request);
    expect(other.ids).not.toEqual([ids[0]]);
  });

  it('may have been taken, as its process may be gone: by its owner, or who answers its failure', async () => {
    const never = new Promise<never>(() => undefined);
    const own = clientOf(
      () => (queueMicrotask(own.onStart), never),
      async () => 'answer',
    );
    expect(await own.client.call(rpc, principal, request)).toBe('answer');
    expect(own.ids).toEqual([own.ids[0], own.ids[0]]);
    const given = clientOf(
      () => (queueMicrotask(given.onStart), never),
      async () => 'answer',
    );
    const budget = new Budget(600_000);
    await expect(given.client.call(rpc, principal, request, { budget })).rejects.toMatchObject({ effect: 'unknown' });
    expect(given.ids).toHaveLength(1);
    const answering = clientOf(
      () => (queueMicrotask(answering.onStart), never),
      async () => 'answer',
    );
    const limits = { budget, ownsRepeats: true };
    expect(await answering.client.call(rpc, principal, request, limits)).toBe('answer');
    expect(answering.ids).toEqual([answering.ids[0], answering.ids[0]]);
    budget.close();
  });
});
