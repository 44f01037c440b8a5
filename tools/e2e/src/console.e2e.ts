import { gzipSync } from 'node:zlib';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import type { Browser } from 'playwright-core';
import { appClient, signedInClient } from './app-client.js';
import { Api } from './api.js';
import {
  consolePages,
  goTo,
  launchBrowser,
  openConsole,
  openPage,
  signIn,
  type WatchedPage,
} from './console-browser.js';
import { faultsOf } from './console-faults.js';
import { ownerOf, personOf, type Person } from './people.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

/** Compressed script of the first screen. */
const SCRIPT_BYTES_MAX = 300 * 1024;

/** Characters that cannot be seen are refused by the API already. */
const HOSTILE = '<img src=x onerror=alert(1)>"><script>alert(2)</script>';

describe('the console in a browser', () => {
  let all: UsableStack;
  let browser: Browser;
  let owner: Person;
  let member: Person;
  let api: AppClient;
  let receiver: Server;
  let receiverUrl: string;
  let isReceiverWell = false;

  beforeAll(async () => {
    all = await sharedStack();
    browser = await launchBrowser();
    owner = ownerOf(all.stack);
    member = personOf(all.stack, 'MEMBER');
    api = await signedInClient(all.baseUrl, owner);
    receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(isReceiverWell ? 200 : 500).end(isReceiverWell ? 'taken' : 'broken today');
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  });

  afterAll(async () => {
    await browser?.close();
    receiver?.closeAllConnections();
    receiver?.close();
  });

  async function signedIn(person: Person, width = 1280): Promise<WatchedPage> {
    const opened = await openConsole(browser, all.baseUrl, { viewport: { width, height: 900 } });
    await signIn(opened.page, person);
    return opened;
  }

  it('makes a key that works, shows it once, and revokes it for good', async () => {
    const { page, complaints } = await signedIn(owner);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Label/).fill(HOSTILE);
    await dialog.getByRole('button', { name: 'Send messages only' }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Copy it now').waitFor();
    // A stray key does not lose it, nor the palette, nor Back, which is taken back.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.evaluate(
      `new Promise((done) => { let moves = 0; addEventListener('popstate', () => ++moves === 2 && done()); history.back(); })`,
    );
    expect(page.url()).toContain('/settings/keys');
    expect(await page.getByRole('combobox', { name: 'Search commands' }).count()).toBe(0);
    const shown = await page.getByRole('dialog').innerText();
    const secret = /svc_live_\w+/.exec(shown)?.[0] ?? '';
    expect(shown).toContain(`curl ${all.baseUrl}/v1/messages`);
    const key = new Api(all.baseUrl, secret);
    expect((await key.get('/v1/ping')).status).toBe(200);
    expect((await key.get('/v1/contacts')).status).toBe(403);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.reload();
    // The label is text: nothing of it ran.
    const row = page.getByRole('row').filter({ hasText: HOSTILE });
    await row.getByText('messages:send').waitFor();
    expect(await page.content()).not.toContain(secret);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await key.get('/v1/ping')).status).toBe(401);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('shows a test send with its answer, its log, and why a webhook does not get through', async () => {
    const { page, complaints } = await signedIn(owner);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    await page.getByLabel(/^Address/).fill(receiverUrl);
    await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('Not delivered after').waitFor();
    await page.getByText('broken today').waitFor();
    isReceiverWell = true;
    const test = page.getByRole('button', { name: 'Send test' });
    await test.click();
    await page.getByText(/Delivered: 200 in \d+ ms/).waitFor();
    // It was disabled meanwhile, which takes the focus from it.
    await eventually(async () => test.evaluate((button) => button === button.ownerDocument.activeElement));
    await page
      .getByRole('button', { name: /^Details of webhook.test/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('"event": "webhook.test"').waitFor();
    await page.keyboard.press('Escape');
    const { body } = await api.get('/app/api/webhooks');
    expect(body?.items?.map((one) => one['url'])).toContain(receiverUrl);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('hides from a member what a member may not do', async () => {
    const { page } = await signedIn(member);
    for (const name of ['API keys', 'Webhooks', 'Members', 'Audit log']) {
      expect(await page.getByRole('link', { name }).count()).toBe(0);
    }
    await page.goto('/app/settings/keys');
    await page.waitForURL(/\/app\/?$/);
    await page.context().close();
  });

  it('opens the command palette by its key, at once after a load and in a field, and goes where it says', async () => {
    const { page, complaints } = await signedIn(owner);
    const palette = page.getByRole('combobox', { name: 'Search commands' });
    await page.goto('/app/contacts');
    await page.keyboard.press('Control+k');
    await palette.waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await page.getByLabel('Search contacts').focus();
    await page.keyboard.press('Control+k');
    await palette.fill('secret');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('gives the focus back to what opened a dialog, by Escape and after saving', async () => {
    const { page } = await signedIn(owner);
    await openPage(page, '/contacts');
    const create = page.getByRole('button', { name: 'New contact' }).first();
    const dialog = page.getByRole('dialog');
    const isBack = async () => create.evaluate((button) => button === button.ownerDocument.activeElement);
    await create.focus();
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Number').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await eventually(isBack);
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Number').fill('+14155550178');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await eventually(isBack);
    await page.context().close();
  });

  it('leaves an open inbox for the sign-in when its session was ended elsewhere', async () => {
    const { page } = await signedIn(member);
    await openPage(page, '/inbox');
    const elsewhere = appClient(all.baseUrl);
    await elsewhere.signIn(member);
    const { items = [] } = (await elsewhere.get('/app/api/sessions')).body ?? {};
    for (const { id } of items.filter(({ isCurrent }) => isCurrent === false)) {
      await elsewhere.ask('DELETE', `/app/api/sessions/${id ?? ''}`);
    }
    await page.getByText('Your session has ended').waitFor();
    await page.context().close();
  });

  it('keeps nothing of a session after signing out, Back included', async () => {
    const { page } = await signedIn(owner);
    await openPage(page, '/settings/members');
    await page.getByText(member.email).waitFor();
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.locator('input[name=email]').waitFor();
    await page.goBack();
    await page.locator('input[name=email]').waitFor();
    expect(await page.content()).not.toContain(member.email);
    const kept = await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])');
    expect(kept).not.toContain(owner.email);
    expect(kept).not.toMatch(/csrf|cookie|token/i);
    await page.context().close();
  });

  it.each([1280, 360])(
    'has no serious fault of accessibility on any page, light or dark, %d px wide, and none scrolls sideways',
    async (width) => {
      const { page, complaints } = await signedIn(owner, width);
      const faults: string[] = [];
      await all.acme.send('+14155550177', 'Hello');
      const [conversation] = (await api.get('/app/api/conversations?limit=1')).body?.items ?? [];
      const [home = '', ...others] = consolePages;
      const withConversation = `/inbox?conversation=${conversation?.id ?? ''}`;
      for (const path of [home, ...others, withConversation]) {
        // Loaded once: a page is the same by a link, and Chromium compiles its scripts and those of the search for faults anew for each load.
        if (path === home || path === withConversation) await openPage(page, path);
        else await goTo(page, path);
        const hidden = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if (Number(hidden) > 0) faults.push(`${path} is ${String(hidden)} px wider than the window`);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
          // One who asks for less motion sees no colour on its way to another; nor does the test.
          if (await page.evaluate('document.getAnimations().some((one) => one instanceof CSSTransition)')) {
            faults.push(`${path} ${colorScheme} moves though less motion is asked for`);
          }
          faults.push(...(await faultsOf(page, `${path} ${colorScheme}`)));
        }
      }
      expect(faults).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  it('opens with less than 300 KB of compressed script', async () => {
    const { page } = await openConsole(browser, all.baseUrl);
    const scripts = new Map<string, Promise<Buffer>>();
    page.on('response', (response) => {
      // A file that is there already is answered from the cache.
      if (response.url().endsWith('.js') && !scripts.has(response.url())) scripts.set(response.url(), response.body());
    });
    await page.reload();
    await signIn(page, owner);
    await page.waitForLoadState('networkidle');
    const bytes = (await Promise.all(scripts.values())).reduce((sum, script) => sum + gzipSync(script).length, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(SCRIPT_BYTES_MAX);
    await page.context().close();
  });
});
