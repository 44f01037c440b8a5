import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startStack } from '@switchboard/dev';
import type { Page } from 'playwright-core';
import { Api, Simulator } from './api.js';
import { consolePages, launchBrowser, openConsole, openPage, signIn } from './console-browser.js';
import { ownerOf, type Person } from './people.js';
import { writeReadmePictures } from './readme-pictures.js';
import { fillWithLife, scenesOf, type Scene } from './screenshot-scenes.js';

// npm run screenshots: every page of the console, its dialogs and drawers, and the pages of an organization that has done nothing
// yet, light and dark, wide and narrow, into .cache/screenshots; with --readme the pictures of the README instead.
const folder = resolve(import.meta.dirname, '..', '..', '..', '.cache', 'screenshots');
const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-screenshots-'));
await mkdir(folder, { recursive: true });
const stack = await startStack({ dataDir, quiet: true });
const browser = await launchBrowser();
try {
  const { baseUrl = '', simulatorUrl = '', organizations } = stack.devJson;
  const organization = organizations?.[0];
  if (!organization) throw new Error('the stack has no organization');
  const [owner, newcomer] = [ownerOf(stack), ownerOf(stack, 1)];
  const simulator = new Simulator(simulatorUrl);
  const acme = new Api(baseUrl, organization.apiKey);
  if (process.argv.includes('--readme')) await writeReadmePictures({ browser, baseUrl, acme, simulator, owner });
  else {
    const life = await fillWithLife({ baseUrl, acme, simulator, owner });
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1280, 390]) {
        const options = { colorScheme, viewport: { width, height: 860 } };
        await takeScreenshots(baseUrl, options, owner, [...pagesAs(''), ...scenesOf(life)]);
        await takeScreenshots(baseUrl, options, newcomer, pagesAs('empty-'));
      }
    }
  }
} finally {
  await browser.close();
  await stack.destroy();
}

/** Every page as it opens. */
function pagesAs(prefix: string): readonly Scene[] {
  return consolePages.map((path) => ({
    name: `${prefix}${path === '/' ? 'home' : path.slice(1).replaceAll('/', '-')}`,
    path,
  }));
}

async function takeScreenshots(
  baseUrl: string,
  options: {
    readonly colorScheme: 'light' | 'dark';
    readonly viewport: { readonly width: number; readonly height: number };
  },
  person: Person,
  scenes: readonly Scene[],
): Promise<void> {
  const { page } = await openConsole(browser, baseUrl, options);
  const take = async (name: string, isWhole: boolean): Promise<void> => {
    const file = join(folder, `${name}-${options.colorScheme}-${options.viewport.width}.png`);
    await page.screenshot({ path: file, fullPage: isWhole, animations: 'disabled' });
    console.log(file);
  };
  await page.locator('input[name=email]').waitFor();
  await take('sign-in', true);
  await signIn(page, person);
  for (const scene of scenes) {
    await show(page, scene);
    // A dialog fills the window, whatever the height of the page behind it.
    await take(scene.name, !scene.act);
  }
  await page.context().close();
}

async function show(page: Page, { path, act }: Scene): Promise<void> {
  await openPage(page, path);
  await act?.(page);
}
