import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Serious and critical faults of a page's accessibility, one line each; each begins with the path. */
export async function faultsOf(page: Page, path: string): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe.source);
  const options = `{ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], resultTypes: ['violations'] }`;
  const found = await page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
    violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')))`);
  return (found as readonly string[]).map((fault) => `${path} ${fault}`);
}
