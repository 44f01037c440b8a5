import { describe, expect, it } from '@jest/globals';
import type { InfiniteData } from '@tanstack/react-query';
import type { Message } from '../../api/api.generated.js';
import type { Page } from './merged-top.js';
import { keepNewest, withMessage } from './newest-messages.js';

const message = (id: string, status: Message['status'] = 'SENT') => ({ id, status }) as Message;
const page = (ids: string, nextCursor?: string): Page<Message> => ({
  items: [...ids].map((id) => message(id)),
  ...(nextCursor !== undefined && { nextCursor }),
});
type Thread = InfiniteData<Page<Message>, string | undefined>;
const thread = (...pages: Page<Message>[]): Thread => ({ pages, pageParams: pages.map(() => undefined) });
const shown = ({ pages }: Thread): string =>
  pages.map(({ items }) => items.map(({ id, status }) => id + (status === 'READ' ? '!' : '')).join('')).join(' ');

describe('a message of the stream', () => {
  const long = thread(page('ig', 'after g'), page('ec', 'after c'));

  it('takes the place of its former state, on any page', () => {
    expect(shown(withMessage(long, message('e', 'READ')))).toBe('ig e!c');
  });

  it('is left to its own page where it is older than what was loaded', () => {
    expect(shown(withMessage(long, message('a', 'READ')))).toBe('ig ec');
  });

  it('takes its place by age', () => {
    const all = ['j', 'h', 'f', 'd'].reduce<Thread>((old, id) => withMessage(old, message(id)), long);
    expect(shown(all)).toBe('jihg fedc');
  });

  it('is the last one of a thread that was loaded to its beginning, and the only one of an empty one', () => {
    expect(shown(withMessage(thread(page('ig', 'after g'), page('ec')), message('a')))).toBe('ig eca');
    expect(shown(withMessage(thread(), message('a')))).toBe('a');
    expect(shown(withMessage(thread(page('')), message('a')))).toBe('a');
  });
});

describe('a thread that was read', () => {
  it('holds no message twice', () => {
    const read = thread(page('iga', 'after g'), page('ecba'));
    expect(shown(keepNewest(thread(page('iga', 'after g')), read))).toBe('iga ecb');
  });

  it('keeps what came meanwhile, in its place, and nothing that is older than it', () => {
    const before = thread(page('jihga', 'after a'));
    expect(shown(keepNewest(before, thread(page('ig', 'after g'))))).toBe('jihg');
  });
});
