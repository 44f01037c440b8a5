import { hasAnyDraft } from '../api/held-page.js';
import { Problem } from '../api/problem.js';

/**
 * Loads the code of a page. Of a failure that is thrown as it is, the router thinks that there is a new release without this file, and
 * loads the console anew, once. Where the network is cut that would show the browser's own page in place of the console, and where there
 * is a draft it would be lost: the page then says what to do.
 *
 * @throws Problem where the console is not to be loaded anew
 */
export async function loadPage<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    if (!hasAnyDraft() && (await isServed())) throw error;
    throw new Problem(0, 'PAGE_NOT_LOADED', 'It could not be loaded: check the connection and try again.', null);
  }
}

/** Whether the console's files can be had at all. */
function isServed(): Promise<boolean> {
  return fetch('/app/switchboard.svg', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
}
