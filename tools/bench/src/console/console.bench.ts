import { resolve } from 'node:path';
import type { DevJson } from '@switchboard/dev';
import { findChromium } from '@switchboard/embedded-servers';
import type pg from 'pg';
import { chromium, type Browser, type Page } from 'playwright-core';
import { liftRateLimit } from '../lift-rate-limit.js';
import { fillConversations, fillThread } from '../lists/fill-conversations.js';
import { percentile } from '../percentile.js';
import { withStack } from '../with-stack.js';
import { scrolled, timed, watchInteractions, type InteractionTime } from './interaction-times.js';

/** How much is to be looked through, and how often each interaction is measured. */
export interface ConsoleBenchOptions {
  readonly messages: number;
  readonly conversations: number;
  readonly rounds: number;
  readonly onLine: (line: string) => void;
}

/** Times of one interaction. */
export interface ConsoleBenchRow {
  readonly name: string;
  readonly paintMs: readonly number[];
  /** Empty where nothing is asked for. */
  readonly contentMs: readonly number[];
}

const cacheDir = resolve(import.meta.dirname, '..', '..', '..', '..', '.cache');
const LIST = '[role=list][aria-label=Conversations]';
const LOG = '[role=log][aria-label=Messages]';
const REPLY = 'textarea[aria-label=Reply]';
const PHONE = '+14155550123';

/** Measures what a person does in an inbox of that size, in a Chromium on this machine. */
export async function benchConsole(options: ConsoleBenchOptions): Promise<readonly ConsoleBenchRow[]> {
  return withStack(options.onLine, async ({ devJson }, client) => {
    await fill(devJson, client, options);
    const { executablePath, environment } = await findChromium({ cacheDir });
    const env = { PATH: '/usr/bin:/bin', ...environment };
    const browser = await chromium.launch({ executablePath, env, args: ['--no-sandbox'] });
    try {
      return await measure(await openInbox(browser, devJson), options);
    } finally {
      await browser.close();
    }
  });
}

/** A conversation with a phone that takes replies is the newest one, and has the messages. */
async function fill(
  { organizations, baseUrl }: DevJson,
  client: pg.Client,
  { conversations, messages, onLine }: ConsoleBenchOptions,
): Promise<void> {
  const [acme] = organizations ?? [];
  if (!acme) throw new Error('the stack has no organizations');
  await liftRateLimit(client, acme.id);
  await fillConversations(client, acme.id, { conversations, messages: 1 });
  const answer = await fetch(`${baseUrl}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${acme.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: PHONE, text: 'Hello' }),
  });
  const { conversationId } = (await answer.json()) as { conversationId?: string };
  if (conversationId === undefined) throw new Error(`the message was not taken: ${answer.status}`);
  await fillThread(client, acme.id, conversationId, messages);
  onLine(`${conversations} conversations and ${messages} messages made`);
}

async function openInbox(browser: Browser, { organizations, baseUrl }: DevJson): Promise<Page> {
  const owner = organizations?.[0]?.users?.find(({ role }) => role === 'OWNER');
  if (!owner) throw new Error('the stack has no owner');
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(60_000);
  await page.goto(`${baseUrl}/app/inbox`);
  await page.locator('input[name=email]').fill(owner.email);
  await page.locator('input[name=password]').fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator(`${LIST} [role=listitem]`).first().waitFor();
  return page;
}

async function measure(page: Page, { messages, rounds, onLine }: ConsoleBenchOptions): Promise<ConsoleBenchRow[]> {
  await watchInteractions(page);
  const rowOf = (name: string): ReturnType<Page['locator']> => page.locator(`${LIST} button`).filter({ hasText: name });
  const open = (name: string) => (): Promise<InteractionTime> =>
    timed(page, `document.querySelector('h2')?.textContent === '${name}' && document.querySelector('${REPLY}')`, () =>
      rowOf(name).first().click(),
    );
  const rows: ConsoleBenchRow[] = [];
  const note = (name: string, times: readonly InteractionTime[]): void => {
    rows.push({
      name,
      paintMs: times.map(({ paintMs }) => paintMs),
      contentMs: times.map(({ contentMs }) => contentMs),
    });
    onLine(`${name}: measured`);
  };
  const others = Array.from({ length: rounds }, (_, index) => `Contact ${Math.floor(index * 1.25) + 1}`);
  await rowOf(PHONE).first().click();
  const begun = performance.now();
  await readThread(page);
  onLine(`read ${messages} messages of the thread in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  await page.locator(LOG).hover();
  const frames = (name: string, paintMs: readonly number[]): number => rows.push({ name, paintMs, contentMs: [] });
  frames('scroll the thread, a frame', await scrolled(page, 400, rounds * 4));
  await page.evaluate(`document.querySelector('${LOG}').scrollTop = 1e9`);
  const keys: InteractionTime[] = [];
  const typed: InteractionTime[] = [];
  for (let round = 1; round <= rounds; round++) {
    const text = `On its way, number ${round}`;
    await page.locator(REPLY).fill(text.slice(0, -1));
    const [isTyped, isSent] = [`.value === '${text}'`, `.value === ''`].map(
      (end) => `document.querySelector('${REPLY}')${end}`,
    );
    typed.push(await timed(page, isTyped ?? '', () => page.locator(REPLY).press(text.slice(-1))));
    keys.push(await timed(page, isSent ?? '', () => page.locator(REPLY).press('Enter')));
  }
  note('write a letter of a reply', typed);
  note('send a reply', keys);
  const opened: InteractionTime[] = [];
  const busy: InteractionTime[] = [];
  for (const name of others.slice(0, 8)) {
    opened.push(await open(name)());
    busy.push(await open(PHONE)());
  }
  note('open a conversation', opened);
  note('open the thread with all of its messages read', busy);
  await page.locator(LIST).hover();
  frames('scroll the inbox through 40 of its pages, a frame', await scrolled(page, 3_200, 40));
  await readPages(page, 40);
  frames('scroll the inbox, a frame', await scrolled(page, -400, rounds * 4));
  const moved: InteractionTime[] = [];
  for (let round = 0; round < rounds; round++) {
    const to = round % 2 === 0 ? 'Closed' : 'Open';
    const isShown = `document.querySelector('${LIST} [role=listitem]') && [...document.querySelectorAll('label')].some((label) => label.textContent === '${to}' && label.dataset.active)`;
    moved.push(await timed(page, isShown, () => page.locator('label').filter({ hasText: to }).first().click()));
  }
  note('change the status that is listed', moved);
  return rows;
}

/** Scrolls to the oldest message: until no older page has come for three seconds. */
async function readThread(page: Page): Promise<void> {
  await page.locator(LOG).waitFor();
  await page.evaluate(`new Promise((resolve) => {
    let since = performance.now();
    let height = 0;
    const look = () => {
      const log = document.querySelector('${LOG}');
      log.scrollTop = 0;
      if (log.scrollHeight !== height) since = performance.now();
      height = log.scrollHeight;
      if (performance.now() - since > 3_000) resolve();
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** Scrolls to the end of the list until so many pages more were read. */
async function readPages(page: Page, pages: number): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    let left = ${pages};
    let height = 0;
    const look = () => {
      const list = document.querySelector('${LIST}');
      if (list.scrollHeight > height) left--;
      height = list.scrollHeight;
      list.scrollTop = height;
      if (left <= 0) resolve();
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** The rows as the report shows them. */
export function linesOfConsole(rows: readonly ConsoleBenchRow[]): string[] {
  const at = (values: readonly number[], ...shares: readonly number[]): string =>
    shares.map((share) => percentile(values, share).toFixed(0)).join(' / ');
  return rows.map(({ name, paintMs, contentMs }) => {
    const content = contentMs.length === 0 ? '' : at(contentMs, 0.5, 0.95);
    return `| ${[name, paintMs.length, at(paintMs, 0.5, 0.95, 1), content].join(' | ')} |`;
  });
}
