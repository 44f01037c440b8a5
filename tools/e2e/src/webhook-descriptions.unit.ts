import { describe, expect, it } from '@jest/globals';
import { closedSchemas, type JsonObject } from '@switchboard/check/description/closed-schemas';
import { schemaValidator } from '@switchboard/check/description/schema-validator';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { publicDescription } from '@switchboard/check/description/described-answers';

interface Example {
  readonly event: string;
  readonly timestamp: string;
  readonly data: { readonly id: string } & Readonly<Record<string, unknown>>;
}

const { components, webhooks } = publicDescription as unknown as {
  readonly components: { readonly schemas: JsonObject };
  readonly webhooks: Readonly<Record<string, { readonly post: JsonObject }>>;
};
const ajv = schemaValidator();
ajv.addSchema({ $id: 'webhooks', $defs: closedSchemas(components.schemas) });

const bodies = Object.entries(webhooks).map(([name, { post }]) => {
  const media = Object(Object(post['requestBody'])['content'])['application/json'] as JsonObject;
  const { schema } = closedSchemas({ schema: media['schema'] });
  const here = JSON.stringify(schema).replaceAll('"#/$defs/', '"webhooks#/$defs/');
  return { name, example: media['example'] as unknown as Example, takes: ajv.compile(JSON.parse(here) as JsonObject) };
});
const exampleOf = (name: string): Example | undefined => bodies.find((body) => body.name === name)?.example;

describe('the webhooks of the description', () => {
  it.each(bodies)('$name takes the example of its own and of no other event', ({ name, takes }) => {
    expect(bodies.filter(({ example }) => takes(example)).map((body) => body.name)).toEqual([name]);
  });

  it.each([
    ['message.received', { direction: 'INBOUND', status: 'RECEIVED' }, []],
    ['message.sent', { direction: 'OUTBOUND', status: 'SENT', error: null }, ['sentAt']],
    ['message.delivered', { direction: 'OUTBOUND', status: 'DELIVERED', error: null }, ['sentAt', 'deliveredAt']],
    ['message.read', { direction: 'OUTBOUND', status: 'READ', error: null }, ['sentAt', 'deliveredAt', 'readAt']],
    ['message.failed', { direction: 'OUTBOUND', status: 'FAILED', error: expect.any(Object) }, ['sentAt', 'failedAt']],
  ])('%s shows the message as it is then, with the times it has passed', (name, state, passed) => {
    const { timestamp, data } = exampleOf(name) ?? {};
    const message = Object(data?.['message']) as Readonly<Record<string, unknown>>;
    expect(message).toMatchObject(state);
    const times = ['sentAt', 'deliveredAt', 'readAt', 'failedAt'].filter((time) => message[time] !== null);
    expect(times).toEqual(passed);
    expect(message[times.at(-1) ?? 'createdAt']).toBe(timestamp);
  });

  it.each([
    ['conversation.opened', 'OPEN'],
    ['conversation.closed', 'CLOSED'],
  ])('%s shows the conversation %s', (name, status) => {
    expect(exampleOf(name)?.data['conversation']).toMatchObject({ status });
  });

  it('have ids of the time of the event, each its own', () => {
    const ids = bodies.map(({ example }) => example.data.id);
    expect(new Set(ids).size).toBe(bodies.length);
    expect(ids.map((id) => cuidTime(id).toISOString())).toEqual(bodies.map(({ example }) => example.timestamp));
  });
});
