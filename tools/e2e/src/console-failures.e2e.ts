import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page, Route } from 'playwright-core';
import { launchBrowser, openAsOwner, openPage } from './console-browser.js';
import { chooseFile, chooseTemplate } from './console-forms.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

describe('a page of the console that cannot read what it shows', () => {
  let all: UsableStack;
  let browser: Browser;

  beforeAll(async () => {
    all = await sharedStack();
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
  });

  it('says so on Home, where nothing that is unread counts as not done, and goes on at a click', async () => {
    const { page, complaints } = await openAsOwner(browser, all);
    await page.route(/\/app\/api\/(?!session$)/, refuse);
    await page.goto('/app');
    for (const title of [
      'What needs attention could not all be read',
      'The first steps could not be read',
      'The figures of today could not be read',
    ]) {
      await page.getByRole('alert', { name: title }).getByRole('button', { name: 'Try again' }).waitFor();
    }
    expect(await page.getByRole('region', { name: 'First steps' }).count()).toBe(0);
    await page.unroute(/\/app\/api\/(?!session$)/, refuse);
    await page
      .getByRole('alert', { name: 'The figures of today could not be read' })
      .getByRole('button', { name: 'Try again' })
      .click();
    await page.getByText('Sent today').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('says so on a new bulk send, whose file is kept, and goes on at a click', async () => {
    const { page, complaints } = await openAsOwner(browser, all);
    const reads = /\/app\/api\/(templates|channels)(\?|$)/;
    await page.route(reads, refuse);
    await page.goto('/app/bulk-sends/new');
    const alert = page.getByRole('alert', { name: 'What can be sent could not be read' });
    await alert.waitFor();
    await chooseFile(page, 'Phone,Name,Order\n+14155550161,Ada,A-1\n');
    await page.unroute(reads, refuse);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    await chooseTemplate(page);
    await page.getByRole('button', { name: 'Send 1 message' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('keeps saying why while it asks again by itself, and shows what comes', async () => {
    const { page, complaints } = await openAsOwner(browser, all);
    const held = Promise.withResolvers<Route>();
    let isFirst = true;
    // Home reads more of them at once, and may be about to.
    await page.route('**/app/api/templates/send?limit=50', async (route) => {
      if (!isFirst) return held.resolve(route);
      isFirst = false;
      await refuse(route);
    });
    await page.goto('/app/bulk-sends');
    const alert = page.getByRole('alert').filter({ hasText: 'Not now' });
    await alert.waitFor();
    const poll = await held.promise;
    await drawn(page);
    expect(await alert.getByRole('button', { name: 'Try again' }).count()).toBe(1);
    await poll.continue();
    await alert.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['an answer', '/analytics', '**/app/api/analytics/usage?*', 'Messages over time'],
    ['a list', '/settings/channels', '**/app/api/channels?*', '+12015550181'],
  ])(
    'says since when %s is not up to date, still shows it, and goes on at a click',
    async (_kind, path, read, shown) => {
      const { page, complaints } = await openAsOwner(browser, all, { timezoneId: 'UTC' });
      await page.clock.install();
      await openPage(page, path);
      await page.route(read, refuse);
      // It is read again every minute at least.
      await page.clock.fastForward(61_000);
      const note = page.getByRole('status', {
        name: /^This is as of \w{3} \d+, \d{4}, [\d:]+\s[AP]M: it could not be read again$/,
      });
      await note.waitFor();
      await note.getByText('Not now').waitFor();
      await page.getByRole('main').getByText(shown).first().waitFor();
      await page.unroute(read, refuse);
      await note.getByRole('button', { name: 'Try again' }).click();
      await note.waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  it('says so where not even its code can be had, leaves nothing that is kept, and goes on at a click', async () => {
    const { page } = await openAsOwner(browser, all);
    await openPage(page, '/bulk-sends/new');
    await chooseFile(page, 'phone\n+14155550161\n');
    await page.getByText('people.csv: 1 row').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Plan and usage' }).click();
    const alert = page.getByRole('alert', { name: 'This page could not be shown' });
    await alert.getByText('check the connection').waitFor();
    await page.context().setOffline(false);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Plan and usage', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Bulk sends' }).click();
    await page.getByRole('main').getByText('people.csv').first().waitFor();
    await page.context().close();
  });
});

/** Final for the console: nothing but a poll or a person repeats it. */
function refuse(route: Route): Promise<void> {
  return route.fulfill({ status: 429, json: { error: { code: 'RATE_LIMITED', message: 'Not now' } } });
}

/** Whatever the page has heard of is in it. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    `new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done))))`,
  );
}
