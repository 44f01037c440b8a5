import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appDescription, publicDescription } from '@switchboard/check/description/described-answers';
import type { JsonObject } from '@switchboard/check/description/closed-schemas';
import type { Browser, Page } from 'playwright-core';
import type { SeededOrganization } from '@switchboard/dev';
import { launchBrowser, PAGE_MS } from './console-browser.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

/** An operation that is open for trying out. */
interface TriedOut {
  /** Presses the button. */
  send(): Promise<{ readonly status: number; readonly body: JsonObject }>;
}

describe('the descriptions as they are served', () => {
  let all: UsableStack;
  let browser: Browser;

  beforeAll(async () => {
    all = await sharedStack();
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
  });

  it.each([
    ['/v1/openapi.json', publicDescription],
    ['/app/openapi.json', appDescription],
  ])('%s is the one that is kept, for everybody, compressed, once', async (path, kept) => {
    const answer = await fetch(all.baseUrl + path, { headers: { 'accept-encoding': 'gzip' } });
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'gzip']);
    const { servers, info, ...served } = (await answer.json()) as JsonObject;
    const { contact, ...words } = Object(info) as JsonObject;
    const keptContact = Object(kept['info'])['contact'];
    expect({ ...served, info: { ...words, contact: keptContact }, servers: kept['servers'] }).toEqual(kept);
    const base = `http://localhost:${new URL(all.baseUrl).port}`;
    expect(servers).toEqual([{ url: base, description: 'The canonical base.' }]);
    expect(contact).toEqual({ ...keptContact, url: `${base}/docs` });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const etag = answer.headers.get('etag') ?? '';
    for (const method of ['GET', 'HEAD']) {
      const again = await fetch(all.baseUrl + path, { method, headers: { 'if-none-match': `"other", ${etag}` } });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    const head = await fetch(all.baseUrl + path, { method: 'HEAD', headers: { 'if-none-match': '"other"' } });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('/docs shows every operation and tries one out, within its policy and without any other host', async () => {
    const { page, foreign, complaints } = await watchedPage();
    const opened = await page.goto(all.stack.devJson.docsUrl ?? '');
    expect(opened?.headers()['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    await page.getByRole('heading', { name: 'Switchboard API' }).first().waitFor();
    const shown = await page.locator('body').innerText();
    for (const tag of ['System', 'Messages', 'Conversations', 'Contacts']) expect(shown).toContain(tag);
    const tried = await tryOut(page, 'system', 'GET /v1/ping', 'Check credentials');
    expect(await tried.send()).toEqual({ status: 200, body: { ok: true, organizationId: own().id } });
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('/docs tries out a send as often as its button is pressed, and an opt-out that does not meet it', async () => {
    const { page, foreign } = await watchedPage();
    const message = await tryOut(page, 'messages', 'POST /v1/messages', 'Send a text message');
    const [first, second] = [await message.send(), await message.send()];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body['id']).not.toBe(first.body['id']);
    const optOut = await tryOut(page, 'contacts', 'POST /v1/opt-outs', 'Opt a contact out');
    const [made, kept] = [await optOut.send(), await optOut.send()];
    expect([made.status, kept.status, kept.body['id']]).toEqual([201, 200, made.body['id']]);
    const again = await tryOut(page, 'messages', 'POST /v1/messages', 'Send a text message');
    expect(await again.send()).toMatchObject({ status: 200, body: { contactId: first.body['contactId'] } });
    expect(foreign).toEqual([]);
    await page.close();
  });

  it('/docs tries out a bulk send as it is filled in: the template is there', async () => {
    const { page } = await watchedPage();
    const bulk = await tryOut(page, 'templates', 'POST /v1/templates/send', 'Send a template in bulk');
    const { status, body } = await bulk.send();
    expect([status, body]).toEqual([202, expect.objectContaining({ total: 2 })]);
    await page.close();
  });

  it('the watch of that test sees a foreign request and a broken policy', async () => {
    const { page, foreign, complaints } = await watchedPage();
    await page.goto(all.stack.devJson.docsUrl ?? '');
    await page.evaluate(`fetch('http://other.invalid/').catch(() => undefined)`);
    await page.evaluate(`document.body.append(Object.assign(document.createElement('script'), { textContent: '1' }))`);
    await page.goto(`${all.stack.devJson.simulatorUrl}/`).catch(() => undefined);
    expect(complaints.join()).toMatch(/Content Security Policy/);
    expect(foreign.length).toBeGreaterThan(0);
    await page.close();
  });

  const own = (): SeededOrganization => {
    const [organization] = all.stack.devJson.organizations ?? [];
    if (!organization) throw new Error('there is no organization');
    return organization;
  };

  /** Opens an operation as a reader does, with the key filled in. @returns what presses its button */
  async function tryOut(page: Page, tag: string, operation: string, heading: string): Promise<TriedOut> {
    const [method = '', path = ''] = operation.split(' ');
    const { docsUrl = '' } = all.stack.devJson;
    const isOpen = page.url().startsWith(docsUrl);
    await page.goto(`${docsUrl}#tag/${tag}/${method}${path}`);
    // Another fragment alone loads nothing.
    if (isOpen) await page.reload();
    await page.getByRole('heading', { name: heading }).first().waitFor();
    await page.getByPlaceholder('Token').first().fill(own().apiKey);
    const exactly = `${method} ${path}\\)`.replaceAll('/', '\\/');
    await page.getByRole('button', { name: new RegExp(`Test Request.*${exactly}`, 'i') }).click();
    const name = `Send ${method} request to ${all.baseUrl}${path}`;
    const button = page.getByRole('button', { name: new RegExp(`^${name.replaceAll('/', '\\/')}$`, 'i') });
    return {
      send: async () => {
        const answered = page.waitForResponse((response) => response.url() === all.baseUrl + path);
        await button.click();
        const answer = await answered;
        return { status: answer.status(), body: (await answer.json()) as JsonObject };
      },
    };
  }

  async function watchedPage(): Promise<{ page: Page; foreign: string[]; complaints: string[] }> {
    const context = await browser.newContext();
    context.setDefaultTimeout(PAGE_MS);
    const foreign: string[] = [];
    const complaints: string[] = [];
    await context.route('**', (route) => {
      const url = route.request().url();
      if (url.startsWith(`${all.baseUrl}/`)) return route.continue();
      foreign.push(url);
      return route.abort();
    });
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    return { page, foreign, complaints };
  }
});
