import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import type { Browser, Locator } from 'playwright-core';
import { appClient } from './app-client.js';
import { launchBrowser, openAsOwner, openPage } from './console-browser.js';
import { faultsOf } from './console-faults.js';
import { ownerOf } from './people.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const SOON = { deadlineMs: 60_000 };

describe('the console by keyboard and for screen readers', () => {
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

  const hasFocus = (element: Locator): Promise<true> =>
    eventually(async () => element.evaluate((one) => one === one.ownerDocument.activeElement), SOON);

  it('can be read where something failed or is wrong, light and dark', async () => {
    const hook = { url: 'http://127.0.0.1:9/hook', events: ['message.received'] };
    const { body: made } = await api.post('/app/api/webhooks', hook);
    await api.post(`/app/api/webhooks/${made?.id ?? ''}/test`);
    const { page, complaints } = await openAsOwner(browser, all);
    const faults: string[] = [];
    const look = async (where: string): Promise<void> => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
        faults.push(...(await faultsOf(page, `${where} ${colorScheme}`)));
      }
    };
    await page.goto('/app/analytics?from=2026-01-20&to=2026-01-10');
    await page.getByText('After the last day').waitFor();
    await look('a wrong field');
    await openPage(page, '/settings/channels');
    await page
      .getByRole('button', { name: /^Test / })
      .first()
      .click();
    await page.getByText(/^The provider accepts the token/).waitFor();
    await look('a test of a channel');
    await openPage(page, `/settings/webhooks/${made?.id ?? ''}`);
    await page.getByRole('button', { name: /^Details of/ }).click();
    await page.getByRole('dialog').getByText('Attempts').waitFor();
    await look('a delivery that failed');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    expect(await page.getByRole('dialog', { name: 'Commands' }).count()).toBe(1);
    await look('the commands');
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
    await api.ask('DELETE', `/app/api/webhooks/${made?.id ?? ''}`);
    await page.context().close();
  });

  it('gives the focus to the heading of a page that another led to, and leaves it alone at the first', async () => {
    const hook = { url: 'http://127.0.0.1:9/led-to', events: ['message.received'] };
    const { body: made } = await api.post('/app/api/webhooks', hook);
    const { page, complaints } = await openAsOwner(browser, all);
    const heading = (name: string): Locator => page.getByRole('heading', { name, level: 1 });
    await openPage(page, '/contacts');
    expect(await page.evaluate('document.activeElement === document.body')).toBe(true);
    await page.getByRole('link', { name: 'Webhooks' }).press('Enter');
    await hasFocus(heading('Webhooks'));
    await page.keyboard.press('Tab');
    await hasFocus(page.getByRole('button', { name: 'Add webhook' }));
    await page.getByRole('link', { name: hook.url }).press('Enter');
    await hasFocus(heading(hook.url));
    await page.goBack();
    await hasFocus(heading('Webhooks'));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search commands' }).fill('opt-outs');
    await page.keyboard.press('Enter');
    await hasFocus(heading('Contacts'));
    expect(complaints).toEqual([]);
    await api.ask('DELETE', `/app/api/webhooks/${made?.id ?? ''}`);
    await page.context().close();
  });

  it('names the command that an arrow key has chosen, and says when none fits', async () => {
    const { page, complaints } = await openAsOwner(browser, all);
    await page.keyboard.press('Control+k');
    const search = page.getByRole('combobox', { name: 'Search commands' });
    await hasFocus(search);
    const commands = page.getByRole('listbox', { name: 'Commands' });
    const chosen = commands.getByRole('option', { selected: true });
    await commands.getByRole('option').first().waitFor();
    expect(await search.getAttribute('aria-controls')).toBe(await commands.getAttribute('id'));
    expect(await search.getAttribute('aria-activedescendant')).toBeNull();
    expect(await chosen.count()).toBe(0);
    const isChosen = async (name: RegExp): Promise<void> => {
      await commands.getByRole('option', { selected: true, name }).waitFor();
      expect(await chosen.count()).toBe(1);
      expect(await search.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'));
    };
    await search.press('ArrowDown');
    await isChosen(/^Home/);
    await search.press('ArrowDown');
    await isChosen(/^Inbox/);
    await search.press('ArrowUp');
    await search.press('ArrowUp');
    expect(await commands.getByRole('option').last().getAttribute('aria-selected')).toBe('true');
    await search.fill('light');
    await isChosen(/^Switch between light and dark/);
    await search.fill('no such command');
    await page.getByRole('status').filter({ hasText: 'Nothing fits' }).waitFor();
    expect(await search.getAttribute('aria-expanded')).toBe('false');
    expect(await search.getAttribute('aria-activedescendant')).toBeNull();
    await search.fill('opt-outs');
    await isChosen(/^Contacts/);
    await search.press('Enter');
    await hasFocus(page.getByRole('heading', { name: 'Contacts', level: 1 }));
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('shows the whole sandbox on a narrow screen, keeps the focus in it, and leaves the inbox open next to it on a wide one', async () => {
    const { page, complaints } = await openAsOwner(browser, all, { viewport: { width: 320, height: 568 } });
    // Pressed before its code is there: the focus comes back to the button all the same.
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/sandbox-drawer*.js', async (route) => {
      await released;
      await route.continue();
    });
    await openPage(page, '/inbox');
    const open = page.getByRole('button', { name: 'Sandbox' });
    await open.click();
    release();
    const sandbox = page.getByRole('dialog', { name: 'Sandbox' });
    await sandbox.getByRole('button', { name: 'Opt in' }).waitFor();
    const cut = await sandbox
      .locator('button, button *')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent));
    expect(cut).toEqual([]);
    // Round and round, without a stop below it.
    for (let stop = 0; stop < 30; stop += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(`document.activeElement.closest('[role=dialog]') !== null`)).toBe(true);
    }
    expect(await sandbox.getAttribute('aria-modal')).toBe('true');
    await page.keyboard.press('Escape');
    await sandbox.waitFor({ state: 'detached' });
    await hasFocus(open);
    await page.setViewportSize({ width: 1280, height: 800 });
    await open.click();
    await sandbox.waitFor();
    expect(await sandbox.getAttribute('aria-modal')).toBe('false');
    await page.getByRole('radiogroup', { name: 'Status' }).getByText('Closed').click();
    await sandbox.getByLabel('They write').fill('Hello');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('names what each of the same buttons is about', async () => {
    const { page, complaints } = await openAsOwner(browser, all);
    const organization = { id: 'c1', name: 'Acme' };
    const session = { device: 'Firefox on Linux', address: '192.0.2.7', organization, isCurrent: false };
    const items = ['09:30:00', '09:30:07'].map((time, index) => {
      const createdAt = `2026-05-20T${time}.000Z`;
      return { ...session, id: `c${index}`, createdAt, lastUsedAt: createdAt };
    });
    await page.route(/\/app\/api\/sessions(\?|$)/, (route) => route.fulfill({ json: { items } }));
    for (const [path, start] of [
      ['/settings/account', 'End the session on Firefox on Linux from 192.0.2.7'],
      ['/settings/audit-log', 'Copy the request id'],
    ] as const) {
      await openPage(page, path);
      const buttons = page.locator(`button[aria-label^="${start}"]`);
      const names = await buttons.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
      expect(names.length).toBeGreaterThan(1);
      expect(new Set(names).size).toBe(names.length);
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('has the figures of a chart as a table too, and no stop without a name', async () => {
    await all.acme.send('+14155550174', 'Hello');
    const { page, complaints } = await openAsOwner(browser, all, { timezoneId: 'UTC' });
    await openPage(page, '/analytics');
    await page.getByRole('figure').waitFor();
    expect(await page.locator('[role=application]').count()).toBe(0);
    await page.getByText('The figures as a table').click();
    const table = page.getByRole('table', { name: /messages sent and/ });
    await table.getByRole('columnheader', { name: 'Received' }).waitFor();
    expect(await table.getByRole('row').count()).toBe(31);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('marks what is chosen where the system sets every color', async () => {
    const { page, complaints } = await openAsOwner(browser, all, { forcedColors: 'active' });
    await openPage(page, '/inbox');
    const styleOf = (element: Locator): Promise<string> =>
      element.evaluate((one) => one.ownerDocument.defaultView?.getComputedStyle(one).outlineStyle ?? '');
    const [inbox, home] = [page.getByRole('link', { name: 'Inbox' }), page.getByRole('link', { name: 'Home' })];
    expect([await styleOf(inbox), await styleOf(home)]).toEqual(['dashed', 'none']);
    const statuses = page.getByRole('radiogroup', { name: 'Status' });
    const [open, closed] = [statuses.getByText('Open'), statuses.getByText('Closed')].map((word) =>
      word.locator('xpath=ancestor-or-self::label'),
    );
    if (!open || !closed) throw new Error('there are no statuses');
    expect([await styleOf(open), await styleOf(closed)]).toEqual(['dashed', 'none']);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
