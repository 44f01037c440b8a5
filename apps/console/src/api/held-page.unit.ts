import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  dropDrafts,
  hasAnyDraft,
  holdPage,
  isPageHeld,
  leaveWhenFree,
  mayLoseDrafts,
  watchDraft,
  whenHoldChanges,
} from './held-page.js';

const aMoment = () => new Promise((resolve) => setTimeout(resolve));

describe('a page that shows something this once', () => {
  const left: string[] = [];
  const leave = (how: string) => leaveWhenFree(() => left.push(how));

  afterEach(async () => {
    await aMoment();
    left.length = 0;
  });

  it('is left at once while nothing holds it', () => {
    leave('reload');
    expect(left).toEqual(['reload']);
  });

  it('is left when the last of what it shows is put away, in the way that was asked for last, once', async () => {
    const [first, second] = [holdPage(), holdPage()];
    leave('reload');
    leave('sign-in');
    first();
    first();
    await aMoment();
    expect([left, isPageHeld()]).toEqual([[], true]);
    second();
    await aMoment();
    expect([left, isPageHeld()]).toEqual([['sign-in'], false]);
    holdPage()();
    await aMoment();
    expect(left).toEqual(['sign-in']);
  });

  it('is not left between two dialogs of which one follows the other', async () => {
    const form = holdPage();
    leave('reload');
    form();
    const shown = holdPage();
    await aMoment();
    expect(left).toEqual([]);
    shown();
    await aMoment();
    expect(left).toEqual(['reload']);
  });

  it('says when it begins and ceases to be held', () => {
    const listener = jest.fn();
    const end = whenHoldChanges(listener);
    const release = holdPage();
    release();
    release();
    end();
    holdPage()();
    expect(listener).toHaveBeenCalledTimes(2);
  });

  it('has a draft as long as one of those who watch say so', () => {
    let text = '';
    const ends = [watchDraft(() => text !== ''), watchDraft(() => false)];
    expect(hasAnyDraft()).toBe(false);
    text = 'Dear';
    expect(hasAnyDraft()).toBe(true);
    for (const end of ends) end();
    expect(hasAnyDraft()).toBe(false);
  });

  it('asks before a draft is lost, and not once it is left on purpose', () => {
    const asked = jest.fn(() => false);
    Object.assign(globalThis, { confirm: asked });
    expect([mayLoseDrafts(), asked.mock.calls.length]).toEqual([true, 0]);
    watchDraft(() => true);
    expect([mayLoseDrafts(), asked.mock.calls.length]).toEqual([false, 1]);
    dropDrafts();
    expect([hasAnyDraft(), mayLoseDrafts(), asked.mock.calls.length]).toEqual([false, true, 1]);
    Reflect.deleteProperty(globalThis, 'confirm');
  });
});
