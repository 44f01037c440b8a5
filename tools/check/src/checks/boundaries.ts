import { boundaryRules } from '../boundaries/boundary-rules.js';
import { cruiseTree } from '../boundaries/cruise-tree.js';
import type { Check } from '../check.js';

/** No import crosses a wall of the architecture, and no file escapes the question. */
export const boundariesCheck: Check = {
  name: 'boundaries',
  async run({ root, files }) {
    const paths = [...files.keys()];
    const { violations, seen } = await cruiseTree(root, boundaryRules(paths));
    const unseen = paths.filter((path) => /^(apps|libs|tools)\/.*\.tsx?$/.test(path) && !seen.has(path));
    return [
      ...violations.map(({ rule, from, to }) => `${from} must not import ${to} (${rule})`),
      ...unseen.map((path) => `${path} was not looked at`),
    ];
  },
};
