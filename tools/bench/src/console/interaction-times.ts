import type { Page } from 'playwright-core';

/** One interaction, as a person sees it. */
export interface InteractionTime {
  /** From the click or key to the next paint, 16 ms at least: what is faster the browser does not report. */
  readonly paintMs: number;
  /** From the click or key until what it asks for is in the page. */
  readonly contentMs: number;
}

/** Source: W3C, "Event Timing API": the duration of an event ends with the next paint behind its handlers. */
const WATCH = `
  globalThis.began = 0;
  globalThis.paints = [];
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) if (interactionId) paints.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 });
  for (const name of ['pointerdown', 'keydown']) {
    addEventListener(name, ({ timeStamp }) => { began ||= timeStamp; }, { capture: true });
  }
  globalThis.shown = (isShown) => new Promise((resolve) => {
    const look = () => requestAnimationFrame(() => {
      if (began > 0 && isShown()) resolve(performance.now() - began);
      else look();
    });
    look();
  });`;

/** Prepares a page for `timed` and `scrolled`. */
export async function watchInteractions(page: Page): Promise<void> {
  await page.evaluate(`{${WATCH}}`);
}

/** Measures one click or key. @param isShown an expression of the page that becomes true by it */
export async function timed(page: Page, isShown: string, act: () => Promise<void>): Promise<InteractionTime> {
  await page.evaluate('void (paints.length = 0, began = 0)');
  const shown = page.evaluate(`shown(() => ${isShown})`);
  await act();
  const contentMs = (await shown) as number;
  // Entries come behind the paint, when the page has nothing else to do.
  await page.evaluate('new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve)))');
  return { paintMs: (await page.evaluate('Math.max(16, ...paints)')) as number, contentMs };
}

/** Scrolls by the wheel under the mouse. @returns milliseconds from each frame to the next */
export async function scrolled(page: Page, deltaY: number, steps: number): Promise<readonly number[]> {
  await page.evaluate(`{
    globalThis.frames = [];
    let last = performance.now();
    const frame = (at) => { frames?.push(at - last); last = at; if (frames) requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  }`);
  for (let step = 0; step < steps; step++) await page.mouse.wheel(0, deltaY);
  return (await page.evaluate(`{ const all = frames; globalThis.frames = null; all.slice(1); }`)) as readonly number[];
}
