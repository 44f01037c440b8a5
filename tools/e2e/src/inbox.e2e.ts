import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppBody, AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import type { Browser, Page } from 'playwright-core';
import { signedInClient } from './app-client.js';
import { launchBrowser, PAGE_MS } from './console-browser.js';
import { personOf } from './people.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const FROM = '+4915123459881';
const SOON = { deadlineMs: 60_000 };
/** Markup, a turn of the direction of writing, and a link that would run. */
const HOSTILE = '<img src=x onerror="window.hit=1"> \u202Etxt.exe javascript:alert(1)';

describe('the inbox in a browser', () => {
  let all: UsableStack;
  let browser: Browser;
  let page: Page;
  let api: AppClient;
  const complaints: string[] = [];

  beforeAll(async () => {
    all = await sharedStack();
    browser = await launchBrowser();
    const member = personOf(all.stack, 'MEMBER');
    api = await signedInClient(all.baseUrl, member);
    page = await browser.newPage();
    page.setDefaultTimeout(PAGE_MS);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      // Browsers report each refusal: 401 before sign-in, and 503 of a busy machine, after which the console asks again.
      if (message.type() === 'error' && !/status of (401|503)/.test(message.text())) complaints.push(message.text());
    });
    await page.goto(`${all.baseUrl}/app/inbox`);
    await page.getByRole('textbox', { name: 'Email' }).fill(member.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(member.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  });

  afterAll(async () => {
    await browser?.close();
  });

  const newestOf = async (conversationId: string): Promise<AppBody | undefined> =>
    (await api.get(`/app/api/conversations/${conversationId}/messages?limit=1`)).body?.items?.[0];
  const conversationOf = async (): Promise<AppBody> => {
    const { body } = await api.get(`/app/api/contacts?phone=${encodeURIComponent(FROM)}`);
    const contactId = body?.items?.[0]?.id ?? '';
    const found = (await api.get(`/app/api/conversations?contactId=${contactId}`)).body?.items?.[0];
    if (!found) throw new Error('there is no conversation');
    return found;
  };

  it('shows what a played recipient writes as it comes, answers it, and follows the answer to its reading', async () => {
    await page.getByRole('button', { name: 'Sandbox' }).click();
    const drawer = page.getByRole('dialog', { name: 'Sandbox' });
    await drawer.getByLabel('Recipient').fill(FROM);
    await drawer.getByLabel('They write').fill(HOSTILE);
    await drawer.getByRole('button', { name: 'Write to us' }).click();
    await eventually(conversationOf, SOON);
    await drawer.getByRole('button', { name: 'Close' }).click();
    // No reload: the stream of events brings it.
    await page.getByRole('list', { name: 'Conversations' }).getByText(FROM).first().click();
    const thread = page.getByRole('log', { name: 'Messages' });
    await thread.getByText('<img src=x onerror="window.hit=1"> [U+202E]txt.exe javascript:alert(1)').waitFor();
    const reply = `On its way ${Date.now()}`;
    await page.getByRole('textbox', { name: 'Reply' }).fill(reply);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await thread.getByText(reply).waitFor();
    const { id = '' } = await conversationOf();
    expect(await newestOf(id)).toMatchObject({ text: reply, direction: 'OUTBOUND' });
    await thread
      .getByText(/^(Delivered|Read) ·/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Sandbox' }).click();
    await page.getByRole('button', { name: 'Read newest' }).click();
    await thread
      .getByText(/^Read ·/)
      .first()
      .waitFor();
    expect(await newestOf(id)).toMatchObject({ status: 'READ' });
    await page.getByRole('dialog', { name: 'Sandbox' }).getByRole('button', { name: 'Close' }).click();
    await page.reload();
    await thread.getByText(reply).waitFor();
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false);
  });

  it('shows every step of a message, opened and closed by the keyboard', async () => {
    const thread = page.getByRole('log', { name: 'Messages' });
    const bubble = thread.getByRole('button', { name: /^Sent message/ }).last();
    await bubble.focus();
    await page.keyboard.press('Enter');
    const steps = page
      .getByRole('dialog', { name: 'What happened to this message' })
      .getByRole('list', { name: 'Steps' });
    for (const step of ['Accepted', 'Handed to the provider', 'Sent', 'Delivered', 'Read']) {
      await steps.getByText(step, { exact: true }).first().waitFor();
    }
    await page.keyboard.press('Escape');
    await steps.waitFor({ state: 'detached' });
    await eventually(async () => bubble.evaluate((element) => element === element.ownerDocument.activeElement), SOON);
  });

  it('closes, reopens, snoozes and archives, as the API and a reload show', async () => {
    const { id = '' } = await conversationOf();
    const statusOf = async (): Promise<unknown> => (await api.get(`/app/api/conversations/${id}`)).body?.['status'];
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    expect(await statusOf()).toBe('CLOSED');
    await page.getByRole('button', { name: 'Reopen' }).click();
    await page.getByRole('button', { name: 'Snooze' }).click();
    await page.getByRole('menuitem', { name: 'For an hour' }).click();
    await eventually(async () => (await statusOf()) === 'SNOOZED', SOON);
    await page.reload();
    await page.getByRole('region', { name: 'Conversation', exact: true }).getByText('Snoozed').first().waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Archive' }).click();
    await eventually(async () => (await statusOf()) === 'ARCHIVED', SOON);
    await page.reload();
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    await page.getByRole('region', { name: 'Conversation', exact: true }).getByText('Archived').first().waitFor();
    await page.getByText('Archived', { exact: true }).first().click();
    await page.getByRole('list', { name: 'Conversations' }).getByText(FROM).first().waitFor();
  });

  it('shows an opt-out, and that of a contact as it is made and ended', async () => {
    await page.getByRole('link', { name: 'Contacts' }).click();
    await page.getByRole('textbox', { name: 'Search contacts' }).fill(FROM.slice(-9));
    await page.getByRole('button', { name: 'Opt-outs' }).click();
    const dialog = page.getByRole('dialog', { name: 'Opt-outs' });
    await dialog.getByLabel('Why').fill('asked on the phone');
    await dialog.getByRole('button', { name: 'Opt out' }).click();
    await dialog.getByText('All channels').first().waitFor();
    const { contact } = (await conversationOf()) as { contact?: { id?: string } };
    const optOuts = async (): Promise<readonly AppBody[]> =>
      (await api.get(`/app/api/opt-outs?contactId=${contact?.id ?? ''}`)).body?.items ?? [];
    expect(await optOuts()).toMatchObject([{ source: 'CONSOLE', reason: 'asked on the phone' }]);
    await dialog.getByRole('button', { name: 'End' }).click();
    await dialog.getByText('No opt-out is in force.').waitFor();
    expect(await optOuts()).toEqual([]);
  });

  it('complained about nothing', () => {
    expect(complaints).toEqual([]);
  });
});
