import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from './closed-schemas.js';
import { DescribedApi, type SeenAnswer } from './described-api.js';

const headers = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
const json = (schema: string): JsonObject => ({
  'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
});
const refusal = (...codes: string[]): JsonObject => ({ headers, 'x-error-codes': codes, content: json('Error') });
const api = new DescribedApi(
  {
    paths: {
      '/v1/things/{id}': {
        get: {
          responses: {
            200: { headers: { ...headers, 'Retry-After': { schema: { type: 'integer' } } }, content: json('Thing') },
            404: { $ref: '#/components/responses/NoThing' },
          },
        },
        delete: { responses: { 204: { headers } } },
      },
      '/v1/things/all': { get: { responses: { 200: { headers, content: json('All') } } } },
    },
    'x-unrouted': { 404: refusal('NOT_FOUND'), 405: refusal('METHOD_NOT_ALLOWED') },
    components: {
      headers: { RequestId: { required: true, schema: { type: 'string', pattern: '^[0-9a-f]{4}$' } } },
      responses: { NoThing: refusal('NO_THING') },
      schemas: {
        Thing: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            at: { type: ['string', 'null'], format: 'date-time' },
            parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
          },
          required: ['id', 'at', 'parts'],
        },
        Part: { anyOf: [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, { type: 'null' }] },
        All: { type: 'object', properties: { all: { type: 'boolean' } }, additionalProperties: {} },
        Error: {
          type: 'object',
          properties: {
            error: { type: 'object', properties: { code: { type: 'string' }, message: { type: 'string' } } },
          },
          required: ['error'],
        },
      },
    },
  },
  '/v1',
);

const thing = { id: 'a', at: '2026-02-03T04:05:06.789Z', parts: [{ a: 'b' }, null] };
const answer = (
  body: unknown,
  more: Partial<SeenAnswer> & { readonly extra?: Record<string, string> } = {},
): SeenAnswer => ({
  method: 'GET',
  target: '/v1/things/5?x=/v1',
  status: 200,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  headers: new Headers({
    'x-request-id': '00ff',
    ...(body === '' ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    date: 'now',
    ...more.extra,
  }),
  ...more,
});
const error = (code: string): object => ({ error: { code, message: 'a' } });

describe('an answer', () => {
  it.each<[string, SeenAnswer]>([
    ['that is as described', answer(thing)],
    ['with a header that may be there', answer(thing, { extra: { 'retry-after': '3' } })],
    ['with null where null may be', answer({ ...thing, at: null, parts: [] })],
    ['of a path that is written out', answer({ all: true, more: 1 }, { target: '/v1/things/all' })],
    ['without a body', answer('', { method: 'DELETE', status: 204 })],
    ['to HEAD', answer('', { method: 'HEAD', extra: { 'content-type': 'application/json' } })],
    ['that refuses', answer(error('NO_THING'), { status: 404 })],
    ['of no path', answer(error('NOT_FOUND'), { status: 404, target: '/v1/other' })],
    ['of no method', answer(error('METHOD_NOT_ALLOWED'), { status: 405, method: 'PUT' })],
    ['of something else', answer('<p>', { target: '/v10/things', status: 418 })],
  ])('%s passes', (_what, one) => {
    expect(api.problemsOf(one)).toEqual([]);
  });

  it.each<[string, SeenAnswer, RegExp]>([
    ['an unknown field', answer({ ...thing, secret: 1 }), /secret/],
    ['one deep inside', answer({ ...thing, parts: [{ a: 'b', c: 1 }] }), /"c"/],
    ['a missing field', answer({ id: 'a', parts: [] }), /"at"/],
    ['another type', answer({ ...thing, id: 5 }), /\/id must be string/],
    ['another form', answer({ ...thing, at: 'yesterday' }), /date-time/],
    ['another status', answer(thing, { status: 201 }), /^201 is not among 200, 404/],
    ['no JSON', answer('{'), /not JSON/],
    ['another media type', answer(thing, { extra: { 'content-type': 'text/html' } }), /text\/html/],
    ['a body where none is', answer(thing, { method: 'DELETE', status: 204 }), /no body is described/],
    ['a body to HEAD', answer(thing, { method: 'HEAD' }), /HEAD/],
    ['a code of another route', answer(error('OTHER'), { status: 404 }), /OTHER is not among NO_THING/],
    ['no envelope', answer({ statusCode: 404 }, { status: 404 }), /"error"/],
    ['an unknown header', answer(thing, { extra: { 'x-powered-by': 'a' } }), /x-powered-by is not described/],
    ['a malformed header', answer(thing, { extra: { 'retry-after': 'soon' } }), /retry-after/],
    [
      'a missing header',
      answer(thing, { headers: new Headers({ 'content-type': 'application/json' }) }),
      /x-request-id is missing/,
    ],
    ['200 where nothing is', answer(thing, { target: '/v1/other' }), /^200 is not among 404, 405/],
  ])('with %s is refused', (_what, one, sentence) => {
    expect(api.problemsOf(one).join('; ')).toMatch(sentence);
  });
});
