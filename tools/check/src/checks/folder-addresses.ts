import type { Check } from '../check.js';
import { typescriptFiles } from '../sources.js';

const PATH_OF_URL = /new URL\([^;]*import\.meta\.url\)\.pathname/g;

/** No path is taken from the URL of a module as it stands there: in a checkout whose path has a space or an umlaut it is encoded. */
export const folderAddressesCheck: Check = {
  name: 'folder addresses',
  run(sources) {
    return typescriptFiles(sources).flatMap(({ path, text }) =>
      [...text.matchAll(PATH_OF_URL)].map(({ index }) => {
        const line = text.slice(0, index).split('\n').length;
        return `${path}:${line} takes the path of a URL, which is encoded: fileURLToPath, or import.meta.dirname`;
      }),
    );
  },
};
