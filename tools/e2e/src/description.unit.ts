import { beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchboard/check/description/closed-schemas';
import { appDescription, assertDescribed, publicDescription } from '@switchboard/check/description/described-answers';
import { describedValues } from '@switchboard/check/description/schema-validator';
import { apiDocuments } from '@switchboard/gateway/api-documents';
import { gatewayRoutes, type GatewayRoute, type RequestParts } from '@switchboard/gateway/routes';
import { bodyCandidates, headerCandidates, queryCandidates, isWritten } from './description-values.js';

interface Parameter extends JsonObject {
  readonly name: string;
  readonly in: string;
  readonly schema: JsonObject;
}
interface Operation {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: JsonObject | undefined;
  readonly examples: readonly JsonObject[];
  /** Of its refusals, by code. */
  readonly sentences: Readonly<Record<string, string>>;
  readonly route: GatewayRoute;
}

type Described = Readonly<Record<string, { readonly description?: string } | undefined>>;

const routes = await gatewayRoutes();
const isDescribed = describedValues();
const operations = [...operationsOf(publicDescription), ...operationsOf(appDescription)];

describe('the descriptions', () => {
  it('are made from the routes as they are, and kept as they are made', async () => {
    expect(await apiDocuments()).toEqual({ publicApi: publicDescription, appApi: appDescription });
  });

  it('name every route under /v1 and /app/api, and nothing else', () => {
    const routed = routes
      .filter(({ path }) => /^\/(v1|app\/api)(\/|$)/.test(path))
      .map(({ method, path }) => `${method} ${path}`);
    expect(operations.map(({ name }) => name).sort()).toEqual(routed.sort());
    expect(routed.length).toBeGreaterThan(15);
  });

  it('have the six documented tags, ten events and each name once', () => {
    const { tags, webhooks, info } = publicDescription as unknown as {
      readonly tags: readonly { readonly name: string }[];
      readonly webhooks: Readonly<Record<string, { readonly post: JsonObject }>>;
      readonly info: { readonly version: string };
    };
    const names = 'System Messages Conversations Contacts Templates Analytics'.split(' ');
    expect(tags.map(({ name }) => name)).toEqual(names);
    expect(Object.keys(webhooks)).toHaveLength(10);
    expect(info.version).toBe('2.1.0');
  });

  it('say of a code what their own API means by it', () => {
    const said = (document: object): readonly string[] => {
      const { info, components } = document as {
        readonly info: { readonly description: string };
        readonly components: Readonly<Record<'responses' | 'examples', Readonly<Record<string, JsonObject>>>>;
      };
      const table = info.description.split('\n').filter((line) => /`(UNAUTHORIZED|CONFLICT|NOT_FOUND)` \|/.test(line));
      return [...table, JSON.stringify([components.responses, components.examples])];
    };
    const [unauthorized, notFound, conflict, components] = said(appDescription);
    expect(unauthorized).toContain('No session, or wrong credentials');
    expect(notFound).toContain('the organization has nothing with this id');
    expect(conflict).toMatch(/The current state does not allow it.* Fix the request/);
    expect(components).toContain('"message":"Sign in first"');
    expect(components).not.toMatch(/Invalid API key|Idempotency-Key/);
    expect(said(publicDescription).join('\n')).toMatch(/Invalid API key[\s\S]*`Idempotency-Key` was used/);
  });

  it('advise to repeat what may have taken effect only where twice does no harm, or under the same key', () => {
    const failures = (document: object): readonly string[] => {
      const { paths, components, info } = document as {
        readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Described }>>>>;
        readonly components: { readonly responses: Described };
        readonly info: { readonly description: string };
      };
      const described = Object.values(paths).flatMap((path) => Object.values(path).map(({ responses }) => responses));
      const { Internal, ServiceUnavailable } = components.responses;
      const responses = [Internal, ServiceUnavailable, ...described.flatMap((one) => [one['500'], one['503']])];
      const rows = info.description.split('\n').filter((line) => /^\| 50\d \|/.test(line));
      return [...rows, ...responses.flatMap((response) => response?.description ?? [])];
    };
    const [ofApi, ofApp] = [failures(publicDescription), failures(appDescription)];
    expect([ofApi.length, ofApp.length].every((count) => count >= 4)).toBe(true);
    expect([...ofApi, ...ofApp].filter((text) => !text.includes('only where twice does no harm'))).toEqual([]);
    expect(ofApi.filter((text) => !text.includes('with the same `Idempotency-Key`'))).toEqual([]);
    expect(publicDescription['info']).toMatchObject({
      description: expect.stringMatching(
        /^- 500, 503 and lost answers: [^]*?a send only with the same `Idempotency-Key`/m,
      ),
    });
  });

  it('show no number that is not whole', () => {
    // Parts of a whole, and seconds: all others count something.
    const fractions = /"(p50|p95|relativeError|deliveryRate|readRate|failureRate)":\{[^{}]*\}/g;
    expect(JSON.stringify([publicDescription, appDescription]).replace(fractions, '""')).not.toMatch(
      /"type":("number"|\[[^\]]*"number")/,
    );
  });

  describe.each(operations.map((one): [string, Operation] => [one.name, one]))('%s', (_name, operation) => {
    const { route, parameters, body, examples, sentences } = operation;
    let looked: Readonly<Record<keyof RequestParts, Set<string>>>;
    beforeAll(() => {
      looked = { params: new Set(), query: new Set(), body: new Set() };
    });
    const read = (parts: Partial<RequestParts>, headers: Readonly<Record<string, string>> = {}): boolean => {
      const ids = Object.fromEntries(namesOf(parameters, 'path').map((name) => [name, 'c0123456789abcdef']));
      const all = { query: {}, body: {}, ...parts, params: { ...ids, ...parts.params } };
      const [params, query, asked] = [
        watched(all.params, looked.params),
        watched(all.query, looked.query),
        watched(all.body, looked.body),
      ];
      try {
        route.read({ params, query, body: asked }, headers);
        return true;
      } catch {
        return false;
      }
    };

    it('takes its examples', () => {
      for (const example of examples) expect([example, read({ body: example })]).toEqual([example, true]);
      if (!body) expect(read({})).toBe(true);
    });

    it('shows refusals that name its own fields and scope, and what is wrong with a request as it says it', () => {
      const fields = [...namesOf(parameters, 'path'), ...namesOf(parameters, 'query'), ...propertiesOf(body)];
      const named = (code: string): readonly string[] =>
        [...(sentences[code] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
      for (const code of ['VALIDATION_FAILED', 'INVALID_PHONE', 'CHANNEL_NOT_FOUND', 'CONTACT_NOT_FOUND']) {
        expect([code, named(code).filter((name) => !fields.includes(name) && name !== 'Host')]).toEqual([code, []]);
      }
      if (fields.length > 0) expect(named('VALIDATION_FAILED')).not.toEqual([]);
      if (route.scope !== null) expect(sentences['INSUFFICIENT_SCOPE']).toContain(`\`${route.scope}\``);
    });

    it('takes every value that the description takes, and refuses every other', () => {
      const verdicts = [
        ...parameters.flatMap((parameter) => {
          const { name, schema } = parameter;
          const isHeader = parameter.in === 'header';
          // The others are no part of what a route reads: sessions and copies at hand look at them.
          if (isHeader && name !== 'Idempotency-Key') return [];
          const part = parameter.in === 'path' ? 'params' : 'query';
          const example = examples[0] && { body: examples[0] };
          return (isHeader ? headerCandidates(schema) : queryCandidates(schema)).map((text) => ({
            what: `${name}=${text}`,
            isDescribed: isWritten(text, schema, (value) => isDescribed(schema, value)),
            isTaken: isHeader
              ? read({ ...example }, { [name.toLowerCase()]: text })
              : read({ [part]: { [name]: text }, ...example }),
          }));
        }),
        ...(body ? bodyCandidates(body, examples) : []).map((candidate) => ({
          what: JSON.stringify(candidate),
          isDescribed:
            body !== undefined && isDescribed(body, candidate) && isDescribed(route.bodyRule ?? {}, candidate),
          isTaken: read({ body: candidate }),
        })),
      ];
      expect(verdicts.filter((verdict) => verdict.isDescribed !== verdict.isTaken)).toEqual([]);
      if (verdicts.length > 0) expect(new Set(verdicts.map(({ isTaken }) => isTaken)).size).toBe(2);
    });

    it('names every field that the route looks at, and none that it does not', () => {
      read({});
      for (const example of examples) read({ body: example });
      expect([...looked.query].sort()).toEqual(namesOf(parameters, 'query').sort());
      expect([...looked.body].sort()).toEqual(propertiesOf(body).sort());
    });
  });

  it('refuses an answer of a route that it does not know like that', () => {
    const headers = new Headers({ 'content-type': 'application/json', 'x-request-id': '0'.repeat(32) });
    const answer = { method: 'GET', target: '/v1/ping', status: 200, headers };
    const rate = { 'ratelimit-limit': '1', 'ratelimit-remaining': '1', 'ratelimit-reset': '0' };
    const good = JSON.stringify({ ok: true, organizationId: 'c1234567' });
    expect(() => assertDescribed({ ...answer, text: good })).toThrow(/ratelimit-limit is missing/);
    for (const [name, value] of Object.entries(rate)) headers.set(name, value);
    expect(() => assertDescribed({ ...answer, text: good })).not.toThrow();
    expect(() => assertDescribed({ ...answer, text: '{"ok":true}' })).toThrow(/organizationId/);
  });
});

function operationsOf(document: JsonObject): readonly Operation[] {
  return Object.entries(Object(document['paths']) as Record<string, Record<string, JsonObject>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([verb, described]) => {
        const method = verb.toUpperCase();
        const written = path.replaceAll(/\{(\w+)\}/g, ':$1');
        const name = `${method} ${written}`;
        const route = routes.find((one) => one.method === method && one.path === written);
        const parameters = [described['parameters'] ?? []]
          .flat()
          .map((one) => resolved(document, one as JsonObject) as Parameter);
        const media = Object(Object(described['requestBody'])['content'])['application/json'] as JsonObject | undefined;
        const examples = Object.values(Object(media?.['examples'])).map((one) => (one as { value: JsonObject }).value);
        const body = media && resolved(document, media['schema'] as JsonObject);
        // What is described and not routed fails the comparison of both lists.
        return {
          name,
          parameters,
          body,
          examples,
          sentences: sentencesOf(document, described),
          route: route ?? { method, path, access: 'key', roles: null, scope: null, read: () => undefined },
        };
      }),
  );
}

function resolved(document: JsonObject, part: JsonObject): JsonObject {
  const reference = part['$ref'];
  if (typeof reference !== 'string') return part;
  return reference
    .slice(2)
    .split('/')
    .reduce((at, name) => Object(at[name]) as JsonObject, document);
}

/** The sentence of each refusal's example, by code. */
function sentencesOf(document: JsonObject, described: JsonObject): Readonly<Record<string, string>> {
  const examples = Object.values(Object(described['responses']) as JsonObject).flatMap((response) => {
    const { content } = resolved(document, response as JsonObject) as { readonly content?: JsonObject };
    const media = Object(content?.['application/json']) as { readonly examples?: JsonObject };
    return Object.entries(Object(media.examples) as JsonObject);
  });
  return Object.fromEntries(
    examples.map(([code, example]) => {
      const { value } = resolved(document, example as JsonObject) as { readonly value?: JsonObject };
      return [code, String(Object(value?.['error'])['message'])];
    }),
  );
}

function propertiesOf(body: JsonObject | undefined): string[] {
  return Object.keys(Object(body?.['properties']));
}

function namesOf(parameters: readonly Parameter[], place: string): string[] {
  return parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
}

/** The same object, telling which of its fields are looked for. */
function watched(target: object, names: Set<string>): object {
  const look = (name: string | symbol): void => void (typeof name === 'string' && names.add(name));
  return new Proxy(target, {
    get: (object, name) => (look(name), Reflect.get(object, name) as unknown),
    has: (object, name) => (look(name), Reflect.has(object, name)),
    getOwnPropertyDescriptor: (object, name) => (look(name), Reflect.getOwnPropertyDescriptor(object, name)),
  });
}
