import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { acceptedWords, isSendInDoubt, sendInBulk } from './send-in-bulk.js';

const refusal = (status: number) => Response.json({ error: { code: 'REFUSED', message: 'No' } }, { status });
const offline = () => Promise.reject(new TypeError('fetch failed'));
const accepted = () => Response.json({ id: 'cjob0' }, { status: 202 });

describe('a bulk send', () => {
  let keys: (string | null)[];
  let bodies = 0;

  beforeEach(() => {
    keys = [];
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Sends one body so often, and answers so. @returns the numbers of the keys, in the order of their first use */
  async function keysOf(...answers: readonly (() => Response | Promise<Response>)[]): Promise<number[]> {
    keys = [];
    const body = { templateId: `ctemplate${bodies++}`, recipients: [{ to: '+14155550123' }] };
    for (const answer of answers) {
      jest.spyOn(globalThis, 'fetch').mockImplementation(async (_path, { headers } = {}) => {
        keys.push(new Headers(headers).get('idempotency-key'));
        return answer();
      });
      await sendInBulk(body).catch(() => undefined);
    }
    return keys.map((key) => [...new Set(keys)].indexOf(key));
  }

  it('keeps its key until it has an answer', async () => {
    expect(await keysOf(offline, () => refusal(503), accepted)).toEqual([0, 0, 0]);
    // Refused for its sender: the first request may have been accepted all the same.
    expect(await keysOf(offline, () => refusal(429), accepted)).toEqual([0, 0, 0]);
  });

  it('takes another key after a refusal, and when it is sent once more on purpose', async () => {
    expect(await keysOf(() => refusal(400), accepted, accepted)).toEqual([0, 1, 2]);
  });

  it('has a key of its own for each body', async () => {
    await keysOf(offline);
    const [first] = keys;
    await keysOf(offline);
    expect(keys).not.toContain(first);
  });

  it('says that it was accepted before where the answer is that of an earlier request', async () => {
    const body = { templateId: 'clater', recipients: [{ to: '+14155550123' }] };
    const job = { id: 'cjob0', status: 'PENDING', total: 1, createdAt: '2030-01-01T00:00:00.000Z' };
    const answers = [
      offline,
      () => Response.json(job, { status: 202, headers: { 'idempotent-replayed': 'true' } }),
      () => Response.json({ ...job, id: 'cjob1' }, { status: 202 }),
    ];
    jest.spyOn(globalThis, 'fetch').mockImplementation(async () => answers.shift()?.() ?? Response.error());
    await expect(sendInBulk(body)).rejects.toMatchObject({ code: 'OFFLINE' });
    const before = await sendInBulk(body);
    expect(before).toEqual({ ...job, isReplayed: true });
    expect(acceptedWords(before)).toMatch(/^This is the bulk send that was accepted before/);
    const another = await sendInBulk(body);
    expect(another).toMatchObject({ id: 'cjob1', isReplayed: false });
    expect(acceptedWords(another)).toBe('The bulk send is accepted.');
  });

  it('stays in doubt after no answer, whatever refuses its repetitions', async () => {
    const recipients = [{ to: '+14155550123' }];
    /** Whether it is in doubt each time that a body like this is answered so; each is another object, as the page makes it. */
    const doubts = async (templateId: string, ...answers: readonly (() => Response | Promise<Response>)[]) => {
      const seen: boolean[] = [];
      for (const answer of answers) {
        jest.spyOn(globalThis, 'fetch').mockImplementation(async () => answer());
        const body = { templateId, recipients };
        await sendInBulk(body).catch(() => undefined);
        seen.push(isSendInDoubt(body));
      }
      return seen;
    };
    expect(
      await doubts(
        'cdoubt',
        offline,
        () => refusal(429),
        accepted,
        () => refusal(403),
      ),
    ).toEqual([true, true, false, false]);
    expect(await doubts('crefused', () => refusal(429))).toEqual([false]);
    expect(isSendInDoubt(undefined)).toBe(false);
  });
});
