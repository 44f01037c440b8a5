import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import type { Browser } from 'playwright-core';
import { launchBrowser, openAsOwner, openPage } from './console-browser.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

describe('fields and buttons of the console', () => {
  let all: UsableStack;
  let browser: Browser;

  beforeAll(async () => {
    all = await sharedStack();
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
  });

  it('ask for no period whose year is still being typed', async () => {
    const { page, complaints } = await openAsOwner(browser, all, { timezoneId: 'UTC' });
    await openPage(page, '/settings/audit-log');
    const asked: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/app/api/audit-log') asked.push(searchParams.get('since'));
    });
    const from = page.getByLabel('From');
    // Its first part is the month.
    await from.click({ position: { x: 15, y: 15 } });
    const answered = page.waitForResponse((response) => response.url().includes('since=2026-10-15'));
    await page.keyboard.type('10152026');
    await answered;
    expect(asked).toEqual(['2026-10-15T00:00:00.000Z']);
    expect(await from.inputValue()).toBe('2026-10-15');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('are refused in words that a narrow dialog shows whole', async () => {
    const { page, complaints } = await openAsOwner(browser, all, { viewport: { width: 360, height: 640 } });
    await openPage(page, '/settings/channels');
    await page.getByRole('button', { name: 'Connect channel' }).click();
    const dialog = page.getByRole('dialog');
    for (const label of ['Phone number id', 'Business account id', 'Access token']) {
      await dialog.getByRole('textbox', { name: label }).fill('none of ours');
    }
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    const alert = dialog.getByRole('alert');
    await alert.getByRole('button', { name: 'Request' }).waitFor();
    expect(await alert.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('leave in the address what is chosen, for a reload and for others', async () => {
    const { page, complaints } = await openAsOwner(browser, all, { timezoneId: 'UTC' });
    await openPage(page, '/settings/audit-log');
    const action = page.getByRole('combobox', { name: 'Action' });
    await action.click();
    await page.getByRole('option', { name: 'API key revoked' }).click();
    await page.waitForURL(/[?]action=api-key.revoked$/);
    const asked = page.waitForRequest((request) => request.url().includes('/audit-log?action=api-key.revoked'));
    await page.reload();
    await asked;
    expect(await action.inputValue()).toBe('API key revoked');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.waitForURL(/audit-log$/);
    expect(await action.inputValue()).toBe('');
    await page.goto('/app/templates?status=NO_SUCH');
    await page.getByText('order_confirmation').first().waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('ask for no figures of a period that ends before it begins', async () => {
    const { page, complaints } = await openAsOwner(browser, all, { timezoneId: 'UTC' });
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/analytics/')) asked.push(request.url());
    });
    await page.goto('/app/analytics?from=2026-01-20&to=2026-01-10');
    await page.getByText('The first day is after the last').waitFor();
    expect(asked).toEqual([]);
    const right = page.waitForRequest((request) => request.url().includes('from=2026-01-20&to=2026-01-25'));
    await page.getByLabel('To').fill('2026-01-25');
    await right;
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('open a dialog by a double click as by one', async () => {
    const { page, complaints } = await openAsOwner(browser, all, { timezoneId: 'UTC' });
    await openPage(page, '/contacts');
    const button = page.getByRole('button', { name: 'New contact' }).first();
    await button.click();
    const number = page.getByRole('dialog').getByLabel('Number');
    const hasFocus = (): Promise<boolean> => number.evaluate((field) => field === field.ownerDocument.activeElement);
    // The first field that is asked for.
    await eventually(hasFocus);
    // The second click, where the first has opened the dialog by then: on the shade.
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    expect(await hasFocus()).toBe(true);
    await number.press('Escape');
    await number.waitFor({ state: 'detached' });
    await button.dblclick();
    await number.fill('+14155550176');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('ask once for what a double click asks for, however fast it is', async () => {
    const { page, complaints } = await openAsOwner(browser, all, { timezoneId: 'UTC' });
    await openPage(page, '/settings/members');
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('twice@people.example');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') asked.push(new URL(request.url()).pathname);
    });
    // Both before the page can draw that the button is busy.
    await dialog.getByRole('button', { name: 'Create link' }).evaluate((button) => {
      button.click();
      button.click();
    });
    await dialog.getByText('The invitation is ready').waitFor();
    expect(asked).toEqual(['/app/api/invites']);
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('say what they are about, and a preview of a template can be heard', async () => {
    const { page, complaints } = await openAsOwner(browser, all, { timezoneId: 'UTC' });
    await all.acme.send('+14155550175', 'Hello');
    await openPage(page, '/contacts');
    await page.getByRole('button', { name: 'Opt-outs of +14155550175' }).waitFor();
    await page.getByRole('button', { name: 'Edit +14155550175' }).waitFor();
    await openPage(page, '/settings/channels');
    await page.getByRole('button', { name: /^Test .*\+12015550181$/ }).waitFor();
    await openPage(page, '/templates');
    await page.getByRole('link', { name: 'Send in bulk: order_confirmation (en_US)' }).waitFor();
    // Of a picture screen readers read the name alone. Source: WAI-ARIA, "Children Presentational".
    const preview = page.getByRole('group', { name: 'Preview of order_confirmation' }).first();
    await preview.getByText('{{1}}').waitFor();
    await page.goto('/app/no-such-page');
    await page.getByRole('main').getByText('There is no such page').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
