import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appDescription, publicDescription } from '@switchboard/check/description/described-answers';
import type { JsonObject } from '@switchboard/check/description/closed-schemas';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from './console-browser.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

describe('the descriptions as they are served', () => {
  let all: UsableStack;
  let browser: Browser;

  beforeAll(async () => {
    all = await sharedStack();
    browser = await launchBrowser();
  }, 240_000);

  afterAll(async () => {
    await browser?.close();
  }, 60_000);

  it.each([
    ['/v1/openapi.json', publicDescription],
    ['/app/openapi.json', appDescription],
  ])('%s is the one that is kept, for everybody, compressed, once', async (path, kept) => {
    const answer = await fetch(all.baseUrl + path, { headers: { 'accept-encoding': 'gzip' } });
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'gzip']);
    const { servers, ...served } = (await answer.json()) as JsonObject;
    expect({ ...served, servers: kept['servers'] }).toEqual(kept);
    expect(servers).toEqual([
      { url: `http://localhost:${new URL(all.baseUrl).port}`, description: 'The canonical base.' },
    ]);
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
    await page.goto(`${all.stack.devJson.docsUrl}#tag/system/GET/v1/ping`);
    await page.reload();
    await page.getByRole('heading', { name: 'Check credentials' }).first().waitFor();
    const key = all.stack.devJson.organizations?.[0]?.apiKey ?? '';
    await page.getByPlaceholder('Token').first().fill(key);
    await page
      .getByRole('button', { name: /Test Request.*ping/i })
      .first()
      .click();
    const answered = page.waitForResponse((response) => response.url() === `${all.baseUrl}/v1/ping`);
    await page.getByRole('button', { name: /^Send/ }).first().click();
    const answer = await answered;
    expect([answer.status(), await answer.json()]).toEqual([
      200,
      { ok: true, organizationId: all.stack.devJson.organizations?.[0]?.id },
    ]);
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  }, 90_000);

  it('the watch of that test sees a foreign request and a broken policy', async () => {
    const { page, foreign, complaints } = await watchedPage();
    await page.goto(all.stack.devJson.docsUrl ?? '');
    await page.evaluate(`fetch('http://other.invalid/').catch(() => undefined)`);
    await page.evaluate(`document.body.append(Object.assign(document.createElement('script'), { textContent: '1' }))`);
    await page.goto(`${all.stack.devJson.simulatorUrl}/`).catch(() => undefined);
    expect(complaints.join()).toMatch(/Content Security Policy/);
    expect(foreign.length).toBeGreaterThan(0);
    await page.close();
  }, 60_000);

  async function watchedPage(): Promise<{ page: Page; foreign: string[]; complaints: string[] }> {
    const context = await browser.newContext();
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
