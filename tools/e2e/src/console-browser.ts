import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findChromium } from '@switchboard/embedded-servers';
import { eventually } from '@switchboard/testing/eventually';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { ownerOf, type Person } from './people.js';
import type { UsableStack } from './start-everything.js';

const cacheDir = resolve(import.meta.dirname, '..', '..', '..', '.cache');

/** Every page behind sign-in that needs nothing made before. */
export const consolePages: readonly string[] = [
  '/',
  '/inbox',
  '/contacts',
  '/templates',
  '/bulk-sends',
  '/bulk-sends/new',
  '/analytics',
  '/settings/keys',
  '/settings/webhooks',
  '/settings/channels',
  '/settings/members',
  '/settings/plan',
  '/settings/audit-log',
  '/settings/account',
];

/** A page of the console, with everything that it should not have done. */
export interface WatchedPage {
  readonly page: Page;
  /** Complaints of the policy, errors of scripts, and requests to other hosts. */
  readonly complaints: string[];
}

/** How long a page may take to come to what is waited for, on a machine that is busy with other work. */
export const PAGE_MS = 300_000;

/** Starts the Chromium of the tests. @throws Error in one line where there is none */
export async function launchBrowser(): Promise<Browser> {
  const { executablePath, environment } = await findChromium({ cacheDir });
  // Debian's is a script that needs a few commands.
  const env = { PATH: '/usr/bin:/bin', ...environment };
  return chromium.launch({ executablePath, env, args: ['--no-sandbox'] });
}

/** Opens the console in a new browser profile. */
export async function openConsole(
  browser: Browser,
  baseUrl: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: baseUrl, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(PAGE_MS);
  const complaints: string[] = [];
  await context.route(
    (url) => url.origin !== new URL(baseUrl).origin,
    (route) => {
      complaints.push(`a request to ${route.request().url()}`);
      return route.abort();
    },
  );
  const page = await context.newPage();
  // Browsers report each refusal: 401 before sign-in, and 503 of a busy machine, after which the console asks again.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (4\d\d|503)/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    // Whoever goes on to another page leaves a draft there.
    if (dialog.type() === 'beforeunload') return void dialog.accept();
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto('/app');
  return { page, complaints };
}

/** Signs in on the sign-in page and waits for Home. */
export async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.locator('input[name=email]').fill(email);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Account of/ }).waitFor({ state: 'attached' });
}

/** Opens the console in a new browser profile as the first organization's OWNER. */
export async function openAsOwner(
  browser: Browser,
  { baseUrl, stack }: Pick<UsableStack, 'baseUrl' | 'stack'>,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const opened = await openConsole(browser, baseUrl, options);
  await signIn(opened.page, ownerOf(stack));
  return opened;
}

/** Opens a page of the console and waits until it has read what it shows. */
export async function openPage(page: Page, path: string): Promise<void> {
  await page.goto(`/app${path}`);
  await hasRead(page);
}

/** Opens another page of the console as a link to it does, without loading the console again. */
export async function goTo(page: Page, path: string): Promise<void> {
  const before = await page.title();
  await page.evaluate(`history.pushState(null, '', '/app${path}')`);
  // Each has a title of its own, which it sets when it is there.
  await eventually(async () => (await page.title()) !== before, { deadlineMs: 60_000 });
  await hasRead(page);
}

async function hasRead(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}

/** Clicks the export and reads the file that it saves: its name and its lines. */
export async function exported(page: Page): Promise<{ readonly name: string; readonly rows: readonly string[] }> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const download = await saving;
  const text = await readFile(await download.path(), 'utf8');
  // A spreadsheet takes a file with this mark for UTF-8.
  if (!text.startsWith('\uFEFF')) throw new Error(`${download.suggestedFilename()} has no byte order mark`);
  return { name: download.suggestedFilename(), rows: text.slice(1).trimEnd().split('\r\n') };
}
