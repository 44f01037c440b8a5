import { describe, expect, it } from '@jest/globals';
import type { GatewayRoute, RequestParts } from '@switchboard/gateway/routes';
import type { Api } from './api.js';
import { idPlacesOf, requestWith } from './route-inputs.js';
import type { Tenant } from './tenant-values.js';

type Fields = Readonly<Record<string, unknown>>;
type Read = (parts: Readonly<Record<keyof RequestParts, Fields>>) => unknown;

const route = (method: string, path: string, read: Read): GatewayRoute => ({
  method,
  path,
  access: 'key',
  roles: null,
  scope: null,
  read: (parts) => read(parts as Parameters<Read>[0]),
});
const required = (fields: Fields, ...names: string[]): void => {
  for (const name of names) if (!Object.hasOwn(fields, name)) throw new Error(`\`${name}\` must be given`);
};
const tenant: Tenant = { api: undefined as unknown as Api, channelId: 'cmychannel' };

describe('the ids that a route takes', () => {
  it('are found in its path, query and body, however the gateway looks for them', () => {
    const found = idPlacesOf(
      route('POST', '/v1/conversations/:id/notes', ({ params, query, body }) => {
        required(params, 'id');
        required(body, 'text', 'contactId');
        return [query['messagingChannelId'], 'messageId' in body, query['cursor'], query['businessAccountId']];
      }),
    );
    expect(found).toEqual([
      { part: 'params', field: 'id', kind: 'conversationId' },
      { part: 'body', field: 'contactId', kind: 'contactId' },
      { part: 'query', field: 'messagingChannelId', kind: 'messagingChannelId' },
      { part: 'body', field: 'messageId', kind: 'messageId' },
    ]);
  });

  it('are asked for with what else the route needs, the tenant’s own ids among it', async () => {
    const send = route('POST', '/v1/channels/:id/messages', ({ body }) => required(body, 'to', 'messagingChannelId'));
    const [ofPath, ofBody] = idPlacesOf(send);
    if (!ofPath || !ofBody) throw new Error('there are two ids');
    const asked = await requestWith(send, ofPath, 'cforeign', tenant);
    expect(asked.target).toBe('/v1/channels/cforeign/messages');
    expect(JSON.parse(asked.body ?? '')).toEqual({
      to: expect.stringMatching(/^\+1/),
      messagingChannelId: 'cmychannel',
    });
    const other = await requestWith(send, ofBody, 'cforeign', tenant);
    expect(other.target).toBe('/v1/channels/cmychannel/messages');
    expect(JSON.parse(other.body ?? '')).toMatchObject({ messagingChannelId: 'cforeign' });
  });

  it('go into the query of a list', async () => {
    const list = route('GET', '/v1/messages', ({ query }) => query['contactId']);
    const [place] = idPlacesOf(list);
    expect(place && (await requestWith(list, place, 'cforeign', tenant))).toEqual({
      target: '/v1/messages?contactId=cforeign',
      body: undefined,
    });
  });

  it.each<[string, GatewayRoute, RegExp]>([
    ['an id of the path', route('GET', '/v1/teapots/:id', () => null), /idsOfPaths in .*tenant-values/],
    ['a parameter of the path', route('GET', '/v1/a/:teapotId', () => null), /the id `teapotId`: add it to idFixtures/],
    ['an id of the body', route('POST', '/v1/a', ({ body }) => body['teapotId']), /idFixtures in .*tenant-values/],
    ['a list of ids', route('GET', '/v1/a', ({ query }) => query['teapotIds']), /the id `teapotIds`/],
    [
      'a needed field',
      route('POST', '/v1/a', ({ body }) => required(body, 'teapot')),
      /needs `teapot`: add it to fieldValues/,
    ],
    ['what it wants', route('POST', '/v1/a', () => required({}, 'never')), /cannot be asked/],
  ])('that are new fail with the line to add: %s', (_what, one, sentence) => {
    expect(() => idPlacesOf(one)).toThrow(sentence);
  });
});
