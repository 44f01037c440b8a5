import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { hasAnyDraft } from '../../api/held-page.js';
import { BulkSendDraft, bulkSendDraft } from './bulk-send-draft.js';

const TABLE = { headings: ['Phone'], rows: [{ line: 2, cells: ['+14155550123'] }] };
const body = { templateId: 'ctemplate0', recipients: [{ to: '+14155550123' }] };
const same = (message: string): string => message;

describe('a new bulk send', () => {
  let draft: BulkSendDraft;
  const choose = async (name: string, of = draft): Promise<void> => {
    of.choose(name, Promise.resolve(TABLE));
    await Promise.resolve();
  };
  const answer = (response: () => Response): void =>
    void jest.spyOn(globalThis, 'fetch').mockImplementation(async () => response());

  beforeEach(() => {
    draft = new BulkSendDraft();
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('keeps its file and what was chosen for it when its page is opened again, and begins anew without a file', async () => {
    draft.open('ctemplate0', 'first');
    draft.write({ throttle: 60 });
    draft.open('ctemplate0', 'first');
    expect(draft.read()).toMatchObject({ templateId: 'ctemplate0', throttle: '' });
    draft.write({ throttle: 60, templateId: 'ctemplate1' });
    await choose('people.csv');
    // Back, and on.
    draft.open('ctemplate0', 'first');
    draft.open(undefined, 'second');
    expect(draft.read()).toMatchObject({ file: { name: 'people.csv' }, throttle: 60, templateId: 'ctemplate1' });
    draft.open('ctemplate0', 'third');
    expect(draft.read()).toMatchObject({ file: { name: 'people.csv' }, templateId: 'ctemplate0' });
  });

  it('is as it was while it is being sent, and begins with the template that was asked for meanwhile', async () => {
    answer(() => Response.json({ id: 'cjob0' }, { status: 202 }));
    draft.open('ctemplate0', 'first');
    await choose('people.csv');
    const later = Promise.withResolvers<typeof TABLE>();
    draft.choose('later.csv', later.promise);
    const sending = draft.send(body, same);
    draft.open('ctemplate1', 'second');
    later.resolve(TABLE);
    await later.promise;
    expect(draft.read()).toMatchObject({ templateId: 'ctemplate0', file: { name: 'people.csv' }, isSending: true });
    await sending;
    expect(draft.read()).toMatchObject({ templateId: 'ctemplate1', file: null, isSending: false });
  });

  it('forgets all of it when it is discarded, a file that is still being read too', async () => {
    const reading = Promise.withResolvers<typeof TABLE>();
    const fresh = draft.read();
    draft.write({ throttle: 60 });
    await choose('people.csv');
    draft.choose('later.csv', reading.promise);
    draft.discard();
    reading.resolve(TABLE);
    await reading.promise;
    expect(draft.read()).toEqual(fresh);
  });

  it('says why a file cannot be used', async () => {
    await choose('people.csv');
    draft.choose('broken.csv', Promise.reject(new Error('Row 2: no')));
    await new Promise(setImmediate);
    expect(draft.read()).toMatchObject({ file: null, fileProblem: 'Row 2: no' });
  });

  it('is over once it is accepted', async () => {
    answer(() => Response.json({ id: 'cjob0' }, { status: 202 }));
    await choose('people.csv');
    const sending = draft.send(body, same);
    expect(draft.read().isSending).toBe(true);
    expect(await sending).toMatchObject({ id: 'cjob0' });
    expect(draft.read()).toMatchObject({ file: null, isSending: false, body: null });
  });

  it('stays when it was refused, with the problem in the words of the page', async () => {
    answer(() => Response.json({ error: { code: 'REFUSED', message: 'recipients[0]' } }, { status: 400 }));
    await choose('people.csv');
    await expect(draft.send(body, () => 'Row 2')).rejects.toMatchObject({ code: 'REFUSED' });
    expect(draft.read()).toMatchObject({
      file: { name: 'people.csv' },
      isSending: false,
      body,
      problem: { message: 'Row 2' },
    });
  });

  it('is a draft of every page as long as it has a file', async () => {
    expect(hasAnyDraft()).toBe(false);
    await choose('people.csv', bulkSendDraft);
    expect(hasAnyDraft()).toBe(true);
    bulkSendDraft.discard();
    expect(hasAnyDraft()).toBe(false);
  });
});
