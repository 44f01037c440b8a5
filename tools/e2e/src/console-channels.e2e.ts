import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, openAsOwner, openPage } from './console-browser.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const BEHIND = 'Behind the first page';

describe('the channels of an organization', () => {
  let all: UsableStack;
  let browser: Browser;

  beforeAll(async () => {
    all = await sharedStack();
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
  });

  /** Has the list of channels go on behind its first page. */
  async function addSecondPage(page: Page): Promise<void> {
    await page.route('**/app/api/channels?*', async (route) => {
      const url = new URL(route.request().url());
      const isFirst = !url.searchParams.has('cursor');
      url.searchParams.delete('cursor');
      const response = await route.fetch({ url: url.href });
      const { items } = (await response.json()) as { items: readonly { readonly id: string }[] };
      const [one] = items;
      if (!one) throw new Error('the organization has no channel');
      const first = { items, nextCursor: one.id };
      const second = { items: [{ ...one, id: `${one.id}b`, name: BEHIND, status: 'DISCONNECTED' }] };
      await route.fulfill({ response, json: isFirst ? first : second });
    });
  }

  it('are all offered where one is chosen, also those behind the first page, and a disconnected one is shown to need attention', async () => {
    const { page, complaints } = await openAsOwner(browser, all);
    await addSecondPage(page);
    const offered = async (label: string): Promise<void> => {
      await page.getByRole('combobox', { name: label }).click();
      await page.getByRole('option', { name: BEHIND }).waitFor();
    };
    await openPage(page, '/');
    await page.getByText(`The channel ${BEHIND} is disconnected`).waitFor();
    await openPage(page, '/analytics');
    await offered('Channel');
    await all.acme.must('POST', '/v1/contacts', { phone: '+14155550176' });
    await openPage(page, '/contacts');
    await page.getByRole('button', { name: 'Opt-outs' }).first().click();
    await offered('Opt out of');
    await openPage(page, '/inbox');
    await page.getByRole('button', { name: 'Sandbox' }).click();
    await offered('Channel');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('are the first of the first steps while there is none that is connected', async () => {
    const { page, complaints } = await openAsOwner(browser, all);
    const step = page.getByRole('region', { name: 'First steps' }).getByText(/^Connect a channel/);
    await page.route('**/app/api/channels?*', (route) => route.fulfill({ json: { items: [] } }));
    await openPage(page, '/');
    expect(await step.innerText()).toContain('(to do)');
    await page.getByRole('link', { name: 'Connect a phone number' }).click();
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
