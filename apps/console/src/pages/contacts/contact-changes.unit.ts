import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { changesOf, saveContact } from './contact-changes.js';

describe('the changes of a contact', () => {
  const before = { name: 'Ada', email: null };

  it('are the fields that the form has changed, and no other', () => {
    expect(changesOf(before, { name: 'Ada', email: '' })).toEqual({});
    expect(changesOf(before, { name: ' Ada ', email: ' ' })).toEqual({});
    expect(changesOf(before, { name: 'Bob', email: '' })).toEqual({ name: 'Bob' });
    expect(changesOf(before, { name: 'Ada', email: 'ada@people.example' })).toEqual({ email: 'ada@people.example' });
    expect(changesOf(before, { name: ' ', email: '' })).toEqual({ name: null });
  });

  it('clear nothing where the form is that of a new contact: another may have the number already', () => {
    expect(changesOf(null, { name: '', email: '' })).toEqual({});
    expect(changesOf(null, { name: 'Ada ', email: '' })).toEqual({ name: 'Ada' });
  });
});

describe('a contact that is saved', () => {
  const body = { phone: '+14155550123', name: 'Ada' };
  let requests: string[];
  let readStatus: number;

  beforeEach(() => {
    requests = [];
    readStatus = 200;
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (path, { method = 'GET', body: sent } = {}) => {
      requests.push([method, path, sent].filter((part) => part !== undefined).join(' '));
      const status = method === 'GET' ? readStatus : 200;
      return Response.json({ error: { code: 'REFUSED', message: 'No' } }, { status });
    });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is not made anew when it was erased meanwhile', async () => {
    for (readStatus of [404, 503])
      await expect(saveContact({ id: 'c0' }, body)).rejects.toHaveProperty('status', readStatus);
    expect(requests).toEqual(['GET /app/api/contacts/c0', 'GET /app/api/contacts/c0']);
  });

  it('is read first unless it is new', async () => {
    await saveContact({ id: 'c0' }, body);
    await saveContact(null, body);
    const post = `POST /app/api/contacts ${JSON.stringify(body)}`;
    expect(requests).toEqual(['GET /app/api/contacts/c0', post, post]);
  });
});
