import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppClient } from '@switchboard/testing/app-client';
import type { Browser, Page } from 'playwright-core';
import { appClient } from './app-client.js';
import { launchBrowser, openConsole, openPage, type WatchedPage } from './console-browser.js';
import { chooseFile } from './console-forms.js';
import { ownerOf } from './people.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const PASSWORD = 'correct horse 7 battery staple';

describe('the console in two tabs of a browser', () => {
  let all: UsableStack;
  let browser: Browser;
  let api: AppClient;

  beforeAll(async () => {
    all = await sharedStack();
    browser = await launchBrowser();
    api = appClient(all.baseUrl);
    await api.signIn(ownerOf(all.stack));
  });

  afterAll(async () => {
    await browser?.close();
  });

  /** A new member, signed in: a change of the password ends the sessions of no other test. */
  async function joined(name: string): Promise<WatchedPage> {
    const { body } = await api.post('/app/api/invites', { email: `${name}@people.example`, role: 'MEMBER' });
    const opened = await openConsole(browser, all.baseUrl);
    await opened.page.goto(`/app/accept-invite#${String(body?.['token'])}`);
    await opened.page.getByLabel('Your name').fill(name);
    await opened.page.locator('input[name=password]').fill(PASSWORD);
    await opened.page.getByRole('button', { name: 'Join' }).click();
    await opened.page.getByRole('button', { name: /^Account of/ }).waitFor();
    return opened;
  }

  async function changePassword(page: Page): Promise<void> {
    await openPage(page, '/settings/account');
    await page.getByLabel('Present password').fill(PASSWORD);
    await page.getByLabel('New password').fill(`${PASSWORD} 2`);
    await page.getByRole('button', { name: 'Change password' }).click();
  }

  it('goes on working in another tab after the password was changed', async () => {
    const { page, complaints } = await joined('tabs');
    const other = await page.context().newPage();
    await openPage(other, '/contacts');
    const loaded = other.waitForEvent('load');
    await changePassword(page);
    await loaded;
    await other.getByRole('button', { name: 'New contact' }).first().click();
    const dialog = other.getByRole('dialog');
    await dialog.getByLabel('Number').fill('+14155550179');
    await other.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('keeps a draft until its writer reloads, after another tab has changed the password', async () => {
    const { page, complaints } = await joined('drafts');
    const other = await page.context().newPage();
    await openPage(other, '/bulk-sends/new');
    await chooseFile(other, 'phone\n+14155550179\n');
    await other.getByText('people.csv: 1 row').waitFor();
    await changePassword(page);
    await other.getByText('Your session has changed in another tab').waitFor();
    expect(await other.getByText('people.csv: 1 row').count()).toBe(1);
    const loaded = other.waitForEvent('load');
    await other.getByRole('button', { name: 'Reload' }).click();
    await loaded;
    await other.getByText('Headings in the first row').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('keeps what was typed into a dialog over a click next to it, a close of the tab and the end of the session', async () => {
    const { page: first, complaints } = await joined('typed');
    const page = await first.context().newPage();
    await openPage(page, '/contacts');
    await page.getByRole('button', { name: 'New contact' }).first().click();
    const number = page.getByRole('dialog').getByLabel('Number');
    await number.fill('+14155550177');
    await page.mouse.click(2, 2);
    // The browser asks.
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    await (await asked).dismiss();
    expect(await number.inputValue()).toBe('+14155550177');
    const elsewhere = appClient(all.baseUrl);
    await elsewhere.signIn({ email: 'typed@people.example', password: PASSWORD });
    const { items = [] } = (await elsewhere.get('/app/api/sessions')).body ?? {};
    for (const { id } of items.filter(({ isCurrent }) => isCurrent === false)) {
      await elsewhere.ask('DELETE', `/app/api/sessions/${id ?? ''}`);
    }
    await number.press('Enter');
    await page.getByText('Your session has ended').waitFor();
    expect(await number.inputValue()).toBe('+14155550177');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.locator('input[name=email]').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
