import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { AppClient } from '@switchboard/testing/app-client';
import type { Browser, Page } from 'playwright-core';
import type { Api, Simulator } from './api.js';
import { openConsole, openPage, signIn } from './console-browser.js';
import { pictureOf } from './page-picture.js';
import type { Person } from './people.js';

/** Where the pictures are, from the root. */
export const pictureFolder = 'docs/pictures';

/** The pictures of the README: the file's name, and what it shows. */
export const readmePictures = {
  home: 'Home: first steps, what needs attention, and the figures of the day',
  inbox: 'Inbox: conversations, a thread, and what became of each message',
  webhooks: 'A webhook: a test send, and the log of its deliveries',
} as const;

/** A stack that runs, and a browser to look at it. */
export interface PictureScene {
  readonly browser: Browser;
  readonly baseUrl: string;
  readonly acme: Api;
  readonly simulator: Simulator;
  readonly owner: Person;
}

const people = [
  ['+14155550131', 'Maya Lindqvist', 'Your parcel leaves the warehouse today.', 'Lovely, thank you!'],
  ['+14155550132', 'Tomás Herrera', 'Your invoice is ready.', 'Can I have it in Spanish?'],
  ['+14155550133', 'Aiko Tanaka', 'Your appointment is on Friday at 10:30.', 'Could we make it 11:00?'],
  ['+14155550134', 'Priya Raman', 'Your refund has been paid out.', 'Got it.'],
  ['+14155550135', 'Jonas Weber', 'Your table for four is booked for tonight at 7.', 'Is there a high chair?'],
] as const;

/** Writes the pictures of the README as SVG, of a stack that it fills first. */
export async function writeReadmePictures(scene: PictureScene): Promise<void> {
  const { browser, baseUrl, acme, simulator, owner } = scene;
  const folder = resolve(import.meta.dirname, '..', '..', '..', pictureFolder);
  await mkdir(folder, { recursive: true });
  const api = await AppClient.signedIn(baseUrl, owner);
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(200).end('thank you');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { page } = await openConsole(browser, baseUrl, { viewport: { width: 1280, height: 760 } });
  const save = async (name: keyof typeof readmePictures): Promise<void> => {
    await writeFile(join(folder, `${name}.svg`), await pictureOf(page, readmePictures[name]));
    console.log(`${pictureFolder}/${name}.svg`);
  };
  try {
    for (const [phone, name, text, answer] of people) {
      await acme.send(phone, text);
      await simulator.post('inbound', { from: phone.slice(1), name, text: answer });
    }
    const channels = (await api.get('/app/api/channels')).body?.items ?? [];
    const other = channels.find(({ isDefault }) => isDefault === false);
    await api.post(`/app/api/channels/${other?.id ?? ''}/disconnect`);
    await signIn(page, owner);
    await openInbox(page);
    await save('inbox');
    await openPage(page, '/');
    const received = page.getByText('Received today').locator('..').getByText(String(people.length));
    await received.waitFor({ timeout: 90_000 });
    await save('home');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks/messages`;
    const events = ['message.received', 'message.sent', 'message.delivered', 'message.failed'];
    const { body } = await api.post('/app/api/webhooks', { url, events, description: 'Orders of the shop' });
    await acme.send('+14155550131', 'Your parcel has arrived.');
    await acme.send('+12015550100', 'Your parcel has arrived.');
    await openPage(page, `/settings/webhooks/${body?.id ?? ''}`);
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText(/^Delivered: 200/).waitFor();
    for (const event of events.slice(1)) await page.getByRole('cell', { name: event }).first().waitFor();
    await page.locator('[data-loading]').waitFor({ state: 'detached' });
    await save('webhooks');
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

/** A conversation in which the question has been answered. */
async function openInbox(page: Page): Promise<void> {
  await openPage(page, '/inbox');
  await page.getByRole('list', { name: 'Conversations' }).getByText('Jonas Weber').click();
  await page.getByRole('textbox', { name: 'Reply' }).fill('Of course, one will be at your table.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const thread = page.getByRole('log', { name: 'Messages' });
  await thread
    .getByText(/^(Delivered|Read) ·/)
    .nth(1)
    .waitFor();
}
