import { describe, expect, it } from '@jest/globals';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { RpcUnanswered, type RpcClient } from '@switchboard/nats';
import { ResolveContactsClient, type PersonOfEvent } from './resolve-contacts.client.js';

const unanswered = new RpcUnanswered('rpc.contacts.resolve-many', 'unknown', null);
const person = (organizationId: string): PersonOfEvent => ({
  organizationId,
  eventId: `of ${organizationId}`,
  sighting: { phone: '+14155550123', profileName: null, messagingId: null },
});

const RPC_MS = 3_000;

describe('resolving the people of callbacks', () => {
  let asked: string[] = [];
  let failing: Record<string, Error> = {};
  const clientOf = (): ResolveContactsClient => {
    asked = [];
    failing = {};
    const call = async (_rpc: unknown, { organizationId }: Principal): Promise<unknown> => {
      asked.push(organizationId);
      if (failing[organizationId]) throw failing[organizationId];
      return { contacts: [{ id: `contact of ${organizationId}` }] };
    };
    return new ResolveContactsClient({ call: call as RpcClient['call'] });
  };

  it('lets the events of an organization that cannot be served wait, and leaves it alone for a while', async () => {
    const client = clientOf();
    failing['locked'] = unanswered;
    const first = await client.resolve([person('locked'), person('free')]);
    expect([...first.unresolved]).toEqual(['of locked']);
    expect([...first.people.keys()]).toEqual(['of free']);
    const second = await client.resolve([person('locked'), person('free')]);
    expect([...second.unresolved]).toEqual(['of locked']);
    expect(asked).toEqual(['locked', 'free', 'free']);
    expect([...(await client.resolve([person('locked')])).unresolved]).toEqual(['of locked']);
  });

  it('does not wait for as long as contacts tries for one of them', async () => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    let isOver = false;
    const giveUp = (): void => {
      isOver = true;
      reject(unanswered);
    };
    const timer = setTimeout(giveUp, RPC_MS);
    const call = async (_rpc: unknown, { organizationId }: Principal): Promise<unknown> =>
      organizationId === 'locked' ? late : { contacts: [{ id: 'a contact' }] };
    const client = new ResolveContactsClient({ call: call as RpcClient['call'] });
    const { people, unresolved } = await client.resolve([person('locked'), person('free')]);
    expect([[...people.keys()], [...unresolved]]).toEqual([['of free'], ['of locked']]);
    expect([...(await client.resolve([person('locked')])).unresolved]).toEqual(['of locked']);
    clearTimeout(timer);
    expect(isOver).toBe(false);
  });

  it('gives everything back while contacts is away, and leaves no organization alone for that', async () => {
    const client = clientOf();
    failing = { one: unanswered, another: unanswered };
    await expect(client.resolve([person('one'), person('another')])).rejects.toBe(unanswered);
    failing = {};
    const { people, unresolved } = await client.resolve([person('one'), person('another')]);
    expect([people.size, unresolved.size]).toEqual([2, 0]);
  });

  it('is done with a note of which contacts makes no contact', async () => {
    const call = async (): Promise<unknown> => ({ contacts: [{ id: 'a contact' }], without: [0] });
    const client = new ResolveContactsClient({ call: call as RpcClient['call'] });
    const other = { ...person('one'), eventId: 'another' };
    const { people, unresolved } = await client.resolve([person('one'), other]);
    expect([[...people.keys()], [...unresolved]]).toEqual([['another'], []]);
  });

  it('takes the facts of others of whom it was said behind those of whoever said it', async () => {
    const call = async (): Promise<unknown> => ({ contacts: [{ id: 'one' }, { id: 'two' }], also: [{ id: 'moved' }] });
    const client = new ResolveContactsClient({ call: call as RpcClient['call'] });
    const { people } = await client.resolve([person('one'), { ...person('one'), eventId: 'another' }]);
    const ids = [...people].map(([eventId, met]) => [eventId, ...met.map(({ contact }) => contact.id)]);
    expect(ids).toEqual([
      ['of one', 'one'],
      ['another', 'two', 'moved'],
    ]);
  });

  it('hides no defect behind a wait', async () => {
    const client = clientOf();
    failing['broken'] = new TypeError('a defect');
    await expect(client.resolve([person('broken'), person('free')])).rejects.toThrow('a defect');
  });
});
