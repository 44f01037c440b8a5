import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from './console-browser.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

describe('the console while it loads', () => {
  let all: UsableStack;
  let browser: Browser;

  beforeAll(async () => {
    all = await sharedStack();
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
  });

  /** The page of the console while its style sheet and scripts are held up. */
  async function held(options: BrowserContextOptions): Promise<{
    readonly page: Page;
    readonly complaints: readonly string[];
    release(): void;
  }> {
    const context = await browser.newContext({ baseURL: all.baseUrl, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('status of 401')) complaints.push(message.text());
    });
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/app/assets/**', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto('/app', { waitUntil: 'commit' });
    return { page, complaints, release };
  }

  it.each([
    ['dark', 'rgb(23, 26, 33)', 'rgb(201, 205, 214)'],
    ['light', 'rgba(0, 0, 0, 0)', 'rgb(52, 58, 64)'],
  ] as const)('says so in the %s, until its script has drawn the page', async (colorScheme, behind, words) => {
    const { page, complaints, release } = await held({ colorScheme });
    const loading = page.getByText('Loading…');
    await loading.waitFor();
    const style = (of: string): Promise<unknown> =>
      page.evaluate(`{ const s = getComputedStyle(${of}); [s.backgroundColor, s.color] }`);
    expect(await style('document.documentElement')).toEqual([behind, expect.anything()]);
    expect(await style("document.querySelector('.loading')")).toEqual([expect.anything(), words]);
    // What is drawn, not only laid out: a style sheet that is awaited holds up what is below it.
    await page.waitForFunction(`performance.getEntriesByName('first-contentful-paint').length > 0`);
    release();
    await page.locator('input[name=email]').waitFor();
    expect(await loading.count()).toBe(0);
    // The theme still has the last word: its variables come after those of the style sheet.
    expect(await page.evaluate('getComputedStyle(document.body).fontFamily')).toContain('Inter Variable');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('says what is missing, and not that it loads, to a browser without scripts', async () => {
    const { page, release } = await held({ javaScriptEnabled: false });
    release();
    await page.waitForLoadState();
    const words = await page.locator('body').innerText();
    expect(words).toContain('The console needs JavaScript');
    expect(words).not.toContain('Loading…');
    await page.context().close();
  });
});
