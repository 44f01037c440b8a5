import { beforeAll, describe, expect, it } from '@jest/globals';
import { gatewayRoutes, type GatewayRoute } from '@switchboard/gateway/routes';
import { Api, type ApiAnswer } from './api.js';
import { idPlacesOf, requestWith, type IdPlace } from './route-inputs.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';
import { idFixtures, unknownId, type Tenant } from './tenant-values.js';

const routes = (await gatewayRoutes()).filter(({ access }) => access === 'key');
const cases = routes.flatMap((route) =>
  idPlacesOf(route).map((place): [string, GatewayRoute, IdPlace] => [
    `${route.method} ${route.path}, ${place.part} ${place.field}`,
    route,
    place,
  ]),
);
/** Lists whose filters by an id that is not there find nothing. Source: docs/api-behaviour.md#filters. */
const emptyLists: ReadonlySet<string> = new Set(['/v1/messages', '/v1/templates', '/v1/conversations', '/v1/opt-outs']);

describe('an id of an organization', () => {
  let all: UsableStack;
  let owner: Tenant;
  let stranger: Tenant;

  beforeAll(async () => {
    all = await sharedStack();
    const [first, , third] = (all.stack.devJson.organizations ?? []).map(({ apiKey, channels = [] }) => ({
      api: new Api(all.baseUrl, apiKey),
      channelId: channels[0]?.id ?? '',
    }));
    if (!first || !third) throw new Error('there are not two organizations on the largest plan');
    [owner, stranger] = [first, third];
  });

  const ask = async (tenant: Tenant, route: GatewayRoute, place: IdPlace, id: string): Promise<ApiAnswer> => {
    const { target, body } = await requestWith(route, place, id, tenant);
    return tenant.api.ask(route.method, target, body);
  };

  it('is taken by routes with a path, a query and a body', () => {
    expect(new Set(cases.map(([, , { part }]) => part))).toEqual(new Set(['params', 'query', 'body']));
  });

  it.each(cases)('%s: another one is as one that does not exist', async (_name, route, place) => {
    const id = (await idFixtures[place.kind]?.(owner)) ?? '';
    const foreign = await ask(stranger, route, place, id);
    const unknown = await ask(stranger, route, place, unknownId());
    const unknownToOwner = await ask(owner, route, place, unknownId());
    const owned = await ask(owner, route, place, id);
    const foreignAgain = await ask(stranger, route, place, id);
    // After the refusals: had one of them had an effect, there would be nothing left to be answered.
    if (owned.status >= 300) throw new Error(`its owner was answered ${owned.status} ${JSON.stringify(owned.body)}`);
    const answers = [foreign, unknown, unknownToOwner, foreignAgain];
    if (place.part === 'query' && emptyLists.has(route.path)) {
      for (const { status, body } of answers) expect([status, body]).toEqual([200, { items: [] }]);
      return;
    }
    if (route.path.startsWith('/v1/analytics/')) {
      for (const { status, body } of answers) {
        const { accepted = 0, sent = 0, messagesIn = 0, messagesOut = 0 } = Object(body?.['totals']) as Figures;
        expect([status, accepted, sent, messagesIn, messagesOut]).toEqual([200, 0, 0, 0, 0]);
      }
      return;
    }
    for (const refused of answers) {
      expect([refused.status, refused.body]).toEqual([404, unknown.body]);
      expect(Object.keys(refused.body ?? {})).toEqual(['error']);
    }
    expect(foreign.body?.error?.code).toMatch(/_NOT_FOUND$/);
  });

  it('is in no list of another one', async () => {
    const made = await Promise.all(Object.values(idFixtures).map((fixture) => fixture(owner)));
    const lists = routes.filter(({ method, path }) => method === 'GET' && !path.includes(':'));
    const listedFor = async ({ api }: Tenant): Promise<string[]> => {
      const pages = await Promise.all(lists.map(({ path }) => api.get(`${path}?limit=100`)));
      expect(pages.map(({ status }) => status)).toEqual(lists.map(() => 200));
      const text = JSON.stringify(pages.map(({ body }) => body));
      return made.filter((id) => text.includes(id));
    };
    expect((await listedFor(owner)).length).toBeGreaterThanOrEqual(4);
    expect(await listedFor(stranger)).toEqual([]);
  });
});

/** What a report counts of messages. */
type Figures = Readonly<Partial<Record<'accepted' | 'sent' | 'messagesIn' | 'messagesOut', number>>>;
