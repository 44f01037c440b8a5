import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import type { Browser } from 'playwright-core';
import { appClient } from './app-client.js';
import { launchBrowser, openConsole, openPage, signIn, type WatchedPage } from './console-browser.js';
import { ownerOf, type Person } from './people.js';
import { sharedStack } from './shared-stack.js';
import { StackDatabase } from './stack-database.js';
import type { UsableStack } from './start-everything.js';

const SOON = { deadlineMs: 60_000 };

describe('webhooks in the console', () => {
  let all: UsableStack;
  let browser: Browser;
  let owner: Person;
  let api: ReturnType<typeof appClient>;
  let receiver: Server;
  let isReceiverWell = false;

  beforeAll(async () => {
    all = await sharedStack();
    browser = await launchBrowser();
    owner = ownerOf(all.stack);
    api = appClient(all.baseUrl);
    await api.signIn(owner);
    receiver = createServer((request, response) => {
      request.resume();
      if (request.url?.startsWith('/long')) response.end('x'.repeat(Number(request.url.split('/')[2])));
      else response.writeHead(isReceiverWell ? 200 : 500).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    await browser?.close();
    receiver?.closeAllConnections();
    receiver?.close();
  });

  async function signedIn(): Promise<WatchedPage> {
    const opened = await openConsole(browser, all.baseUrl);
    await signIn(opened.page, owner);
    return opened;
  }

  it('says why a webhook was deactivated, enables it again, and leads to what it missed', async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { body: made } = await api.post('/app/api/webhooks', { url, events: ['message.received'] });
    const webhook = async () => (await api.get(`/app/api/webhooks/${made?.id ?? ''}`)).body;
    // Ten failures in a row take minutes: nine have been, the tenth is made here.
    const database = await StackDatabase.open(all.stack);
    await database.query('UPDATE webhooks.lane SET consecutive_failures = 9 WHERE webhook_id = $1', [made?.id]);
    await database.close();
    await all.simulator.post('inbound', { from: '4915123459771', text: 'Hello' });
    await eventually(async () => (await webhook())?.['status'] === 'DEACTIVATED', SOON);
    const { page, complaints } = await signedIn();
    await page.getByRole('link', { name: 'See why and re-enable it' }).click();
    await page.getByText('10 consecutive attempts failed; the last: status 500').waitFor();
    expect(await page.getByRole('button', { name: 'Replay', exact: true }).isDisabled()).toBe(true);
    await page
      .getByRole('button', { name: /^Details of message.received/ })
      .first()
      .click();
    const delivery = page.getByRole('dialog');
    await delivery.getByText('The webhook is deactivated. Re-enable it first.').waitFor();
    expect(await delivery.getByRole('button', { name: 'Re-deliver' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await delivery.waitFor({ state: 'detached' });
    isReceiverWell = true;
    await page.getByRole('button', { name: 'Re-enable' }).click();
    await page.getByRole('button', { name: 'Replay what it missed' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Replay what it missed' }).waitFor();
    expect(await webhook()).toMatchObject({ status: 'ACTIVE', consecutiveFailures: 0 });
    await page.getByRole('button', { name: 'Replay what it missed' }).click();
    await page.getByRole('button', { name: 'Count events' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('button', { name: 'Replay what it missed' }).waitFor({ state: 'detached' });
    const log = ['enabled', 'deactivated', 'replayed'].map((act) =>
      page.waitForResponse((answer) => answer.url().includes(`/audit-log?action=webhook.${act}`)),
    );
    await page.reload();
    await Promise.all(log);
    await page.getByText('Active', { exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Replay what it missed' }).count()).toBe(0);
    const replays = page.getByRole('cell', { name: /Replay$/ });
    await replays.first().waitFor();
    await page.getByLabel('From', { exact: true }).fill('2999-01-01');
    await page.getByText('Nothing fits these filters').waitFor();
    await api.ask('DELETE', `/app/api/webhooks/${made?.id ?? ''}`);
    await page.getByText('This webhook is gone').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('says of a response where it is cut, and of a whole one nothing', async () => {
    const { port } = receiver.address() as AddressInfo;
    const paths = await Promise.all(
      [1_000, 1_025].map(async (bytes) => {
        const hook = { url: `http://127.0.0.1:${port}/long/${bytes}`, events: ['message.received'] };
        const { body: made } = await api.post('/app/api/webhooks', hook);
        return `/webhooks/${made?.id ?? ''}`;
      }),
    );
    const { page, complaints } = await signedIn();
    const notes: number[] = [];
    for (const path of paths) {
      await openPage(page, `/settings${path}`);
      await page.getByRole('button', { name: 'Send test' }).click();
      await page
        .getByRole('status')
        .getByText(/^x{1000}/)
        .waitFor();
      notes.push(await page.getByRole('status').getByText('Only the first 1 KB of a response is kept.').count());
      await page.getByRole('button', { name: /^Details of/ }).click();
      await page
        .getByRole('dialog')
        .getByText(/^x{1000}/)
        .waitFor();
      notes.push(await page.getByRole('dialog').getByText('Only the first 1 KB of a response is kept.').count());
      await api.ask('DELETE', `/app/api${path}`);
    }
    expect(notes).toEqual([0, 0, 1, 1]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('keeps the tab that is open in the address', async () => {
    const hook = { url: 'http://127.0.0.1:9/tabs', events: ['message.received'] };
    const { body: made } = await api.post('/app/api/webhooks', hook);
    const { page, complaints } = await signedIn();
    await openPage(page, `/settings/webhooks/${made?.id ?? ''}`);
    const address = page.url();
    const code = page.getByRole('tab', { name: 'Verify signatures' });
    await code.click();
    await page.reload();
    await page.getByText('compare in constant time').waitFor();
    expect(await code.getAttribute('aria-selected')).toBe('true');
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.getByText('No delivery yet').waitFor();
    expect(page.url()).toBe(address);
    await page.goto(`${address}?tab=none-of-these`);
    await page.getByText('No delivery yet').waitFor();
    await api.ask('DELETE', `/app/api/webhooks/${made?.id ?? ''}`);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('names an attempt by the time that the page shows, which is that of the browser', async () => {
    const hook = { url: 'http://127.0.0.1:9/times', events: ['message.received'] };
    const { body: made } = await api.post('/app/api/webhooks', hook);
    await api.post(`/app/api/webhooks/${made?.id ?? ''}/test`);
    const { page, complaints } = await openConsole(browser, all.baseUrl, { timezoneId: 'Asia/Kathmandu' });
    await signIn(page, owner);
    await openPage(page, `/settings/webhooks/${made?.id ?? ''}`);
    const shown = await page.getByRole('table', { name: 'Attempts' }).locator('time').getAttribute('title');
    await page.getByRole('button', { name: `Details of webhook.test, ${shown ?? ''}`, exact: true }).click();
    await page
      .getByRole('dialog')
      .getByText(`Attempt 1, ${shown ?? ''}`)
      .waitFor();
    await api.ask('DELETE', `/app/api/webhooks/${made?.id ?? ''}`);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('shows of a long address some lines, on hover the whole of it, and its health in full', async () => {
    const hook = { url: `http://127.0.0.1:9/${'long-'.repeat(390)}`, events: ['message.received'] };
    const { body: made } = await api.post('/app/api/webhooks', hook);
    const { page, complaints } = await signedIn();
    await openPage(page, '/settings/webhooks');
    const address = page.getByRole('link').filter({ hasText: hook.url });
    const { height = Infinity } = (await address.boundingBox()) ?? {};
    expect(height).toBeLessThan(100);
    const health = page.getByRole('row').filter({ has: address }).getByText('Active', { exact: true });
    expect(await health.evaluate((words) => words.scrollWidth - words.clientWidth)).toBe(0);
    await openPage(page, `/settings/webhooks/${made?.id ?? ''}`);
    const heading = page.getByRole('heading', { level: 1 });
    expect(((await heading.boundingBox()) ?? { height: Infinity }).height).toBeLessThan(200);
    expect(await heading.getByTitle(hook.url).count()).toBe(1);
    await api.ask('DELETE', `/app/api/webhooks/${made?.id ?? ''}`);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('keeps what was typed into the form of a webhook that is deleted elsewhere meanwhile', async () => {
    const hook = { url: 'http://127.0.0.1:9/deleted', events: ['message.received'] };
    const { body: made } = await api.post('/app/api/webhooks', hook);
    const { page, complaints } = await signedIn();
    await openPage(page, `/settings/webhooks/${made?.id ?? ''}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const description = page.getByRole('dialog').getByLabel('Description');
    await description.fill('What the shop does with it');
    await api.ask('DELETE', `/app/api/webhooks/${made?.id ?? ''}`);
    await page.getByText('This webhook is gone').waitFor({ state: 'attached' });
    expect(await description.inputValue()).toBe('What the shop does with it');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert', { name: 'Not saved' }).waitFor();
    expect(await description.inputValue()).toBe('What the shop does with it');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('warns before a secret is rotated a second time within a day, and gives the focus back to the menu that led to a dialog', async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/rotated`;
    const { body: made } = await api.post('/app/api/webhooks', { url, events: ['message.received'] });
    const { page, complaints } = await signedIn();
    await openPage(page, `/settings/webhooks/${made?.id ?? ''}`);
    await page.getByRole('tab', { name: 'Events and secret' }).click();
    const rotate = page.getByRole('button', { name: 'Rotate', exact: true });
    await rotate.click();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await rotate.click();
    await page.getByText('It was rotated less than a day ago').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const acts = page.getByRole('button', { name: 'More acts' });
    await acts.click();
    await page.getByRole('menuitem', { name: 'Delete webhook' }).click();
    await page.getByRole('heading', { name: 'Delete this webhook?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(async () => acts.evaluate((button) => button === button.ownerDocument.activeElement), SOON);
    await api.ask('DELETE', `/app/api/webhooks/${made?.id ?? ''}`);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('shows a revealed secret no longer once another tab has rotated it', async () => {
    const hook = { url: 'http://127.0.0.1:9/rotated-elsewhere', events: ['message.received'] };
    const { body: made } = await api.post('/app/api/webhooks', hook);
    const path = `/app/api/webhooks/${made?.id ?? ''}`;
    const { page, complaints } = await signedIn();
    await openPage(page, `/settings/webhooks/${made?.id ?? ''}`);
    await page.getByRole('tab', { name: 'Events and secret' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    const secret = page.getByText(/^whsec_/);
    await secret.waitFor();
    const own = await secret.innerText();
    // Its own rotation is none of another's.
    await page.waitForResponse(/audit-log\?action=webhook\.secret-rotated/);
    expect(await secret.innerText()).toBe(own);
    await api.post(`${path}/rotate-secret`);
    await page.getByText('The secret has been replaced meanwhile').waitFor();
    expect(await secret.count()).toBe(0);
    await page.getByRole('button', { name: 'Reveal' }).click();
    await secret.waitFor();
    expect(await secret.innerText()).toBe((await api.get(`${path}/secret`)).body?.['secret']);
    expect(await page.getByText('The secret has been replaced meanwhile').count()).toBe(0);
    await api.ask('DELETE', path);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
