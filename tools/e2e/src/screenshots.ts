import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '@switchboard/dev';
import { AppClient } from '@switchboard/testing/app-client';
import { Api, Simulator } from './api.js';
import { consolePages, launchBrowser, openConsole, openPage, signIn, type Person } from './console-browser.js';
import { writeReadmePictures } from './readme-pictures.js';

// npm run screenshots: every page of the console, light and dark, wide and narrow, into .cache/screenshots;
// with --readme the pictures of the README instead.
const folder = new URL('../../../.cache/screenshots/', import.meta.url).pathname;
const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-screenshots-'));
await mkdir(folder, { recursive: true });
const stack = await startStack({ dataDir, quiet: true });
const browser = await launchBrowser();
try {
  const { baseUrl = '', simulatorUrl = '', organizations } = stack.devJson;
  const organization = organizations?.[0];
  const owner = organization?.users?.find(({ role }) => role === 'OWNER');
  if (!organization || !owner) throw new Error('the stack has no owner to sign in');
  const simulator = new Simulator(simulatorUrl);
  const acme = new Api(baseUrl, organization.apiKey);
  if (process.argv.includes('--readme')) await writeReadmePictures({ browser, baseUrl, acme, simulator, owner });
  else await takeScreenshots(baseUrl, acme, simulator, owner);
} finally {
  await browser.close();
  await stack.destroy();
}

async function takeScreenshots(baseUrl: string, acme: Api, simulator: Simulator, owner: Person): Promise<void> {
  await fillWithLife(baseUrl, acme, simulator, owner);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      const viewport = { width, height: 860 };
      const { page } = await openConsole(browser, baseUrl, { colorScheme, viewport });
      await page.locator('input[name=email]').waitFor();
      await page.screenshot({ path: fileFor('/sign-in', colorScheme, width) });
      await signIn(page, owner);
      for (const path of consolePages) {
        await openPage(page, path);
        await page.screenshot({ path: fileFor(path, colorScheme, width), fullPage: true });
        console.log(fileFor(path, colorScheme, width));
      }
      await page.context().close();
    }
  }
}

function fileFor(path: string, scheme: string, width: number): string {
  const name = path === '/' ? 'home' : path.slice(1).replaceAll('/', '-');
  return join(folder, `${name}-${scheme}-${width}.png`);
}

/** A few of everything, so that pages show what they are for. */
async function fillWithLife(baseUrl: string, acme: Api, simulator: Simulator, owner: Person): Promise<void> {
  const api = new AppClient(baseUrl);
  await api.signIn(owner);
  for (const [index, text] of [
    'Your order is on its way',
    'Your table is booked',
    'Thank you for your visit',
  ].entries()) {
    await acme.send(`+1415555012${index}`, text);
  }
  await simulator.post('inbound', { from: '14155550121', name: 'Ada', text: 'Is there a high chair?' });
  await acme.ask(
    'POST',
    '/v1/templates/send',
    JSON.stringify({
      template: { name: 'welcome', language: 'en_US' },
      recipients: ['+14155550124', '+14155550125', '+14155550124', '+12015550100'].map((to) => ({ to })),
    }),
  );
  await api.post('/app/api/webhooks', {
    url: 'http://127.0.0.1:9/hook',
    events: ['message.received'],
    description: 'Shop',
  });
  await api.post('/app/api/api-keys', { label: 'Shop backend', scopes: ['messages:send'] });
  await api.post('/app/api/invites', { email: 'grace@people.example', role: 'MEMBER' });
}
