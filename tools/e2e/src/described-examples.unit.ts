import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchboard/check/description/closed-schemas';
import { cuidFloor, cuidTime } from '@switchboard/contracts/grammar/cuid';
import { appDescription, assertDescribed, publicDescription } from '@switchboard/check/description/described-answers';

type Part = Readonly<Record<string, unknown>>;

const examples = [...examplesIn(publicDescription), ...examplesIn(appDescription)];
const parts = examples.flatMap((example) => [...objectsIn(example)]);
const paths = publicDescription['paths'] as unknown as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

describe('the examples of the descriptions', () => {
  it('show every answer that has a body, but for the description itself', () => {
    const bare = [publicDescription, appDescription].flatMap((description) =>
      [...answersOf(description)].filter(([, media]) => !('example' in media || 'examples' in media)),
    );
    expect(bare.map(([name]) => name)).toEqual(['getDescription 200']);
  });

  it('have ids of the form that ours have, and of the time at which the thing was made', () => {
    const made = parts.filter((part) => 'id' in part && 'createdAt' in part);
    expect(made.length).toBeGreaterThan(20);
    for (const { id, createdAt } of made) expect([id, cuidTime(String(id)).toISOString()]).toEqual([id, createdAt]);
    const ids = parts.flatMap((part) => Object.entries(part)).filter(([name]) => /^(id|.+[a-z]Id)$/.test(name));
    const ours = ids.filter(
      ([name, value]) =>
        typeof value === 'string' && !/^(upstream|business|phoneNumber|messagingId|traceId)/.test(name),
    );
    for (const [name, value] of ours) expect([name, value]).toEqual([name, expect.stringMatching(/^c[0-9a-z]{24}$/)]);
  });

  it('continue a list behind its last item, by the key that the list is ordered by', () => {
    const pages = parts.filter((part) => 'nextCursor' in part);
    expect(pages.length).toBeGreaterThan(4);
    for (const { items, nextCursor } of pages) {
      const { id, lastMessageAt, index, sequence, event } = (items as readonly Part[]).at(-1) ?? {};
      const moved = lastMessageAt && cuidFloor(new Date(String(lastMessageAt))) + String(id).slice(9);
      const counted = typeof index === 'number' ? `c${index.toString(36).padStart(8, '0')}` : undefined;
      const chained = typeof sequence === 'number' ? `c${sequence.toString(36).padStart(10, '0')}` : undefined;
      // The feed goes by a position that its items do not show.
      if (event === undefined) expect(nextCursor).toBe(moved ?? id ?? counted ?? chained);
    }
  });

  it('show a stream of events as a browser reads it: where it begins, then an event with its place', () => {
    const { get } = Object(Object(appDescription['paths'])['/app/api/events']) as { get?: Part };
    const media = Object(Object(Object(get?.['responses'])['200'])['content'])['text/event-stream'] as Part;
    const [ready, event, end] = String(media['example']).split('\n\n');
    expect(ready).toMatch(/^retry: \d+\nid: c[0-9a-z]{24}\nevent: ready\ndata: {}$/);
    const [, data = ''] = /^id: c[0-9a-z]{24}\ndata: (.+)$/.exec(event ?? '') ?? [];
    expect(examples).toContainEqual(JSON.parse(data));
    expect(end).toBe('');
  });

  it.each([
    ['/v1/opt-outs', 'post', '201', 'reason'],
    ['/v1/opt-outs', 'post', '200', 'messagingChannelId'],
    ['/v1/conversations/{id}', 'patch', '200', 'status'],
    ['/v1/contacts', 'post', '200', 'email'],
    ['/v1/contacts', 'post', '201', 'email'],
  ])('%s answers to its %s with %s and the `%s` that was asked for', (path, method, status, field) => {
    const operation = paths[path]?.[method];
    const asked = examplesOf(operation?.['requestBody']);
    const answered = examplesOf(Object(operation?.['responses'])[status]);
    expect(Object.keys(answered)).toEqual(Object.keys(asked));
    for (const [name, request] of Object.entries(asked)) {
      expect([name, answered[name]?.[field]]).toEqual([name, request[field] ?? null]);
      if (path === '/v1/opt-outs') expect(answered[name]?.['source']).toBe('API');
    }
  });
});

describe('headers of refusals', () => {
  it('tell of a replay only where the first answer can be given again', () => {
    const { responses } = Object(paths['/v1/messages']?.['post']) as {
      responses: Readonly<Record<string, JsonObject>>;
    };
    const replayed = Object.entries(responses).filter(([, { headers }]) => 'Idempotent-Replayed' in Object(headers));
    expect(replayed.map(([status]) => status)).toEqual(['200', '400', '403']);
    expect(Object.keys(Object(responses['500']?.['headers']))).toContain('X-Message-Id');
  });

  it('need no rate where a path is open to everybody', () => {
    const headers = new Headers({ 'content-type': 'application/json', 'x-request-id': '0'.repeat(32), allow: 'GET' });
    const text = '{"error":{"code":"METHOD_NOT_ALLOWED","message":"a"}}';
    const answer = { method: 'POST', target: '/v1/openapi.json', status: 405, headers, text };
    expect(() => assertDescribed(answer)).not.toThrow();
    headers.delete('allow');
    expect(() => assertDescribed(answer)).toThrow(/allow is missing/);
  });
});

/** Every body of an answer that is no refusal, with the name of its operation and its status. */
function* answersOf(description: JsonObject): Generator<[string, Part]> {
  for (const operations of Object.values(Object(description['paths']) as Part)) {
    for (const { operationId, responses } of Object.values(Object(operations) as Readonly<Record<string, Part>>)) {
      for (const [status, response] of Object.entries(Object(responses) as Part)) {
        const { content } = Object(response) as Part;
        if (Number(status) >= 300) continue;
        for (const media of Object.values(Object(content) as Part))
          yield [`${String(operationId)} ${status}`, Object(media) as Part];
      }
    }
  }
}

/** Every value that stands as an example, whatever of. */
function* examplesIn(part: unknown): Generator<unknown> {
  for (const [name, value] of Object.entries(Object(part) as Part)) {
    if (name === 'example' || name === 'value') yield value;
    else if (typeof value === 'object') yield* examplesIn(value);
  }
}

function* objectsIn(part: unknown): Generator<Part> {
  if (typeof part !== 'object' || part === null) return;
  if (!Array.isArray(part)) yield part as Part;
  for (const value of Object.values(part)) yield* objectsIn(value);
}

function examplesOf(part: unknown): Readonly<Record<string, Part>> {
  const media = Object(Object(Object(part)['content'])['application/json']) as { readonly examples?: Part };
  const named = Object.entries(media.examples ?? {}) as [string, { readonly value: Part }][];
  return Object.fromEntries(named.map(([name, { value }]) => [name, value]));
}
