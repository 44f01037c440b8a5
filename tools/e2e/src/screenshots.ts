import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '@switchboard/dev';
import { AppClient } from '@switchboard/testing';
import { consolePages, launchBrowser, openConsole, openPage, signIn } from './console-browser.js';
import { usable, type UsableStack } from './start-everything.js';

// npm run screenshots: every page of the console, light and dark, wide and narrow, into .cache/screenshots.
const folder = new URL('../../../.cache/screenshots/', import.meta.url).pathname;
const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-screenshots-'));
await mkdir(folder, { recursive: true });
const stack = await startStack({ dataDir, quiet: true });
const browser = await launchBrowser();
try {
  const all = usable(stack.devJson);
  const owner = stack.devJson.organizations?.[0]?.users?.find(({ role }) => role === 'OWNER');
  if (!owner) throw new Error('the stack has no owner to sign in');
  await fillWithLife(all, owner);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      const viewport = { width, height: 860 };
      const { page } = await openConsole(browser, all.baseUrl, { colorScheme, viewport });
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
} finally {
  await browser.close();
  await stack.destroy();
}

function fileFor(path: string, scheme: string, width: number): string {
  const name = path === '/' ? 'home' : path.slice(1).replaceAll('/', '-');
  return join(folder, `${name}-${scheme}-${width}.png`);
}

/** A few of everything, so that pages show what they are for. */
async function fillWithLife(
  all: UsableStack,
  owner: { readonly email: string; readonly password: string },
): Promise<void> {
  const api = new AppClient(all.baseUrl);
  await api.signIn(owner);
  for (const [index, text] of [
    'Your order is on its way',
    'Your table is booked',
    'Thank you for your visit',
  ].entries()) {
    await all.acme.send(`+1415555012${index}`, text);
  }
  await all.simulator.post('inbound', { from: '14155550121', name: 'Ada', text: 'Is there a high chair?' });
  await all.acme.ask(
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
