import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import type { Browser, Route } from 'playwright-core';
import { appClient } from './app-client.js';
import { goTo, launchBrowser, openConsole, openPage, signIn } from './console-browser.js';
import { faultsOf } from './console-faults.js';
import { chooseFile, chooseTemplate } from './console-forms.js';
import { ownerOf, type Person } from './people.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const SOON = { deadlineMs: 60_000 };

describe('a bulk send of the console', () => {
  let all: UsableStack;
  let browser: Browser;
  let owner: Person;

  beforeAll(async () => {
    all = await sharedStack();
    browser = await launchBrowser();
    owner = ownerOf(all.stack, 2);
  });

  afterAll(async () => {
    await browser?.close();
  });

  it('goes out from a channel of the template’s account: its default one, or the one that was chosen', async () => {
    const api = appClient(all.baseUrl);
    await api.signIn(owner);
    const lines = await all.simulator.addLines('token-of-two-branches', ['North branch', 'South branch']);
    const ids: string[] = [];
    for (const line of lines) {
      const { status, body } = await api.post('/app/api/channels', line);
      expect(status).toBe(201);
      ids.push(String(body?.id));
    }
    const account = `/app/api/templates?status=APPROVED&businessAccountId=${lines[0]?.businessAccountId ?? ''}`;
    const template = await eventually(async () => {
      const { items = [] } = (await api.get(account)).body ?? {};
      return items.find(({ name }) => name === 'order_confirmation');
    }, SOON);
    const { page, complaints } = await openConsole(browser, all.baseUrl);
    await signIn(page, owner);
    const jobs: unknown[] = [];
    const sent = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Send 1 message' }).click();
      await page.waitForURL(/\/bulk-sends\/c\w+$/);
      const { body } = await api.get(`/app/api/templates/send/${page.url().split('/').at(-1) ?? ''}`);
      jobs.push(body?.['messagingChannelId']);
    };
    await openPage(page, `/bulk-sends/new?template=${template.id}`);
    await chooseFile(page, 'Phone,Name,Order\n+14155550131,Ada,A-1\n');
    await page.getByText('From North branch, +12015550177').waitFor();
    await sent();
    await openPage(page, `/bulk-sends/new?template=${template.id}`);
    await chooseFile(page, 'Phone,Name,Order\n+14155550132,Bob,A-2\n');
    await page.getByRole('combobox', { name: 'Channel' }).click();
    await page.getByRole('option', { name: 'South branch, +12015550178' }).click();
    await page.getByText('From South branch, +12015550178').waitFor();
    await sent();
    expect(jobs).toEqual(ids);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('takes no file whose letters it cannot know, and sends none that was replaced', async () => {
    const { page, complaints } = await openConsole(browser, all.baseUrl);
    await signIn(page, owner);
    await openPage(page, '/bulk-sends/new');
    await chooseTemplate(page);
    const text = 'Phone,Name,Order\n+14155550141,José,A-1\n';
    await chooseFile(page, Buffer.from(text, 'latin1'));
    await page.getByText('The file is not in UTF-8').waitFor();
    await chooseFile(page, text.replace('é', '\ufffd'));
    await page.getByText('Row 2 has “\ufffd” for {{1}}').waitFor();
    expect(await page.getByRole('button', { name: /^Send/ }).isDisabled()).toBe(true);
    await chooseFile(page, text);
    await page.getByRole('button', { name: 'Send 1 message' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('keeps its chosen file while other pages are read, until it is discarded', async () => {
    const { page, complaints } = await openConsole(browser, all.baseUrl);
    await signIn(page, owner);
    await openPage(page, '/bulk-sends/new');
    await chooseTemplate(page);
    await chooseFile(page, 'Phone,Name,Order\n+14155550151,Ada,A-1\n');
    await page.getByRole('button', { name: 'Send 1 message' }).waitFor();
    await page.getByLabel('Messages an hour at most').fill('60');
    await goTo(page, '/contacts');
    // The browser would ask before it reloads the page.
    expect(await page.evaluate(`dispatchEvent(new Event('beforeunload', { cancelable: true }))`)).toBe(false);
    await goTo(page, '/bulk-sends');
    await page.getByText('people.csv: 1 row').waitFor();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Send 1 message' }).waitFor();
    expect(await page.getByLabel('Messages an hour at most').inputValue()).toBe('60');
    await page.getByRole('button', { name: 'Discard people.csv' }).click();
    await page.getByText('Headings in the first row').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Choose a CSV file');
    await goTo(page, '/bulk-sends');
    expect(await page.getByText('people.csv').count()).toBe(0);
    expect(await page.evaluate(`dispatchEvent(new Event('beforeunload', { cancelable: true }))`)).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('that ends after its page was left leads to no page, and the list shows what became of it', async () => {
    const { page, complaints } = await openConsole(browser, all.baseUrl);
    await signIn(page, owner);
    await openPage(page, '/bulk-sends/new');
    const choose = async (): Promise<void> => {
      await chooseTemplate(page);
      await chooseFile(page, 'Phone,Name,Order\n+14155550152,Bob,A-2\n');
    };
    /** Sends, goes on to another page, and only then lets the request have its end. */
    const sendAndLeave = async (end: (route: Route) => Promise<void>): Promise<void> => {
      const isLeft = Promise.withResolvers<void>();
      await page.route('**/app/api/templates/send', (route) => isLeft.promise.then(() => end(route)), { times: 1 });
      await page.getByRole('button', { name: 'Send 1 message' }).click();
      await goTo(page, '/contacts');
      isLeft.resolve();
    };
    await choose();
    await sendAndLeave((route) => route.fulfill({ status: 403, json: { error: { code: 'NO', message: 'Not now' } } }));
    await page.getByText('Not now').waitFor();
    await goTo(page, '/bulk-sends');
    await page.locator('#content').getByText('Not now').waitFor();
    expect(await faultsOf(page, '/bulk-sends')).toEqual([]);
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.locator('#content').getByText('Not now').waitFor();
    expect(await faultsOf(page, '/bulk-sends/new')).toEqual([]);
    await sendAndLeave((route) => route.continue());
    await page.getByText('The bulk send is accepted.').waitFor();
    expect(page.url()).toMatch(/\/contacts$/);
    await goTo(page, '/bulk-sends');
    await page.getByRole('link', { name: 'order_confirmation' }).first().waitFor();
    expect(await page.getByText('people.csv').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
