import { AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import type { Page } from 'playwright-core';
import type { Api, Simulator } from './api.js';
import type { Person } from './people.js';

/** A state of the console to look at. */
export interface Scene {
  /** Begins the names of its files. */
  readonly name: string;
  /** Below `/app`. */
  readonly path: string;
  /** What is done on the page before it is taken. */
  act?(page: Page): Promise<void>;
}

/** What the scenes are about, by id. */
export interface Life {
  readonly webhook: string;
  readonly job: string;
  readonly answered: string;
  readonly failed: string;
  /** Where a person who is invited joins, below `/app`. */
  readonly invite: string;
}

const REFUSED = '+12015550100';
const ROWS = 'Phone,Name,Order\n+14155550100,Ada,A-1\n+14155550101,Grace,A-2\n+14155550102,Edsger,A-3\n';

/** Makes a few of everything in an organization, so that pages show what they are for. */
export async function fillWithLife({
  baseUrl,
  acme,
  simulator,
  owner,
}: {
  readonly baseUrl: string;
  readonly acme: Api;
  readonly simulator: Simulator;
  readonly owner: Person;
}): Promise<Life> {
  const api = await AppClient.signedIn(baseUrl, owner);
  const texts = ['Your order is on its way', 'Your table is booked', 'Thank you for your visit'];
  for (const [index, text] of texts.entries()) await acme.send(`+1415555012${index}`, text);
  await simulator.post('inbound', { from: '14155550121', name: 'Ada', text: 'Is there a high chair?' });
  const phones = ['+14155550124', '+14155550125', '+14155550124', REFUSED];
  const template = { name: 'welcome', language: 'en_US' };
  const recipients = phones.map((to) => ({ to }));
  const job = await api.post('/app/api/templates/send', { template, recipients });
  const hook = { url: 'http://127.0.0.1:9/hook', events: ['message.received'], description: 'Shop' };
  const webhook = await api.post('/app/api/webhooks', hook);
  await api.post(`/app/api/webhooks/${idOf(webhook)}/test`);
  await api.post('/app/api/api-keys', { label: 'Shop backend', scopes: ['messages:send'] });
  const invite = await api.post('/app/api/invites', { email: 'grace@people.example', role: 'MEMBER' });
  const [failed, answered] = [await conversationOf(api, REFUSED), await conversationOf(api, '+14155550121')];
  const [, second] = (await api.get('/app/api/channels')).body?.items ?? [];
  await api.post(`/app/api/channels/${second?.id ?? ''}/disconnect`);
  const { pathname, search, hash } = new URL(String(invite.body?.['link']));
  const joining = `${pathname.replace('/app', '')}${search}${hash}`;
  return { webhook: idOf(webhook), job: idOf(job), failed, answered, invite: joining };
}

/** Pages that need something made before, dialogs, drawers, and what is shown where there is nothing. */
export function scenesOf({ webhook, job, answered, failed, invite }: Life): readonly Scene[] {
  const press = (name: string | RegExp) => async (page: Page) => {
    await page.getByRole('button', { name }).first().click();
    await page.getByRole('dialog').waitFor();
    await page.locator('[role=dialog] [aria-busy="true"]').first().waitFor({ state: 'detached' });
  };
  return [
    { name: 'inbox-thread', path: `/inbox?conversation=${answered}` },
    { name: 'inbox-failed', path: `/inbox?conversation=${failed}` },
    { name: 'inbox-timeline', path: `/inbox?conversation=${failed}`, act: press(/^Sent message/) },
    { name: 'inbox-sandbox', path: `/inbox?conversation=${answered}`, act: press('Sandbox') },
    { name: 'webhook', path: `/settings/webhooks/${webhook}` },
    {
      name: 'webhook-secret',
      path: `/settings/webhooks/${webhook}`,
      act: (page) => openTab(page, 'Events and secret'),
    },
    { name: 'webhook-code', path: `/settings/webhooks/${webhook}`, act: (page) => openTab(page, 'Verify signatures') },
    { name: 'webhook-delivery', path: `/settings/webhooks/${webhook}`, act: press(/^Details of/) },
    { name: 'webhook-replay', path: `/settings/webhooks/${webhook}`, act: press('Replay') },
    { name: 'webhook-new', path: '/settings/webhooks', act: press('Add webhook') },
    { name: 'bulk-send', path: `/bulk-sends/${job}` },
    { name: 'bulk-send-mapped', path: '/bulk-sends/new', act: (page) => mapFile(page, ROWS) },
    { name: 'bulk-send-faults', path: '/bulk-sends/new', act: (page) => mapFile(page, `${ROWS}nonsense,Bob,A-4\n`) },
    { name: 'key-new', path: '/settings/keys', act: press('Create key') },
    { name: 'channel-settings', path: '/settings/channels', act: press('Settings') },
    { name: 'member-invite', path: '/settings/members', act: press('Invite') },
    { name: 'contact-edit', path: '/contacts', act: press('Edit') },
    { name: 'contact-opt-outs', path: '/contacts', act: press('Opt-outs') },
    { name: 'second-factor', path: '/settings/account', act: press('Enable second factor') },
    { name: 'palette', path: '/analytics', act: openPalette },
    { name: 'navigation', path: '/analytics', act: openNavigation },
    { name: 'unknown', path: '/no-such-page' },
    { name: 'accept-invite', path: invite },
  ];
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search commands' }).waitFor();
}

/** On wide screens it is open always. */
async function openNavigation(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Open navigation' });
  if (await button.isVisible()) await button.click();
  await page.getByRole('link', { name: 'Audit log' }).waitFor();
}

async function mapFile(page: Page, text: string): Promise<void> {
  await page.getByRole('combobox', { name: /^Template/ }).click();
  await page.getByRole('option', { name: 'order_confirmation (en_US)' }).click();
  const buffer = Buffer.from(text);
  await page.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
  await page.getByText('The first messages').waitFor();
}

async function conversationOf(api: AppClient, phone: string): Promise<string> {
  return eventually(async () => {
    const { body } = await api.get(`/app/api/contacts?phone=${encodeURIComponent(phone)}`);
    const contact = body?.items?.[0]?.id;
    if (contact === undefined) return undefined;
    return (await api.get(`/app/api/conversations?contactId=${contact}`)).body?.items?.[0]?.id;
  });
}

function idOf({ body }: { readonly body: { readonly id?: string } | null }): string {
  if (body?.id === undefined) throw new Error(`it was not made: ${JSON.stringify(body)}`);
  return body.id;
}
