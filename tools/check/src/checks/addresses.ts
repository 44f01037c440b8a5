import type { Check } from '../check.js';

/** What belongs to one machine or one network, and what to call it. */
const patterns: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  {
    what: 'the address of a package registry',
    pattern: /registry\.npmjs\.org|registry\.yarnpkg\.com|npm\.pkg\.github/,
  },
  { what: 'the address of a package registry', pattern: /https?:\/\/[^\s/"'`]*(registry|artifactory|nexus)[^\s"'`]*/ },
  { what: 'the setting of a package registry', pattern: /^\s*(@[a-z-]+:)?registry\s*=|_auth[T]oken/m },
  { what: 'the path of one machine', pattern: /(^|[\s"'`(=:])\/(work|root|home\/[a-z]+|Users\/[A-Za-z]+)\/[\w.-]+/m },
  { what: 'the path of one machine', pattern: /\b[A-Z]:\\Users\\/ },
];

/** No registry's address and no machine's path in any file; the user of a container's image is no machine of ours. */
export const addressesCheck: Check = {
  name: 'addresses',
  run({ files }) {
    const problems: string[] = [];
    for (const [path, content] of files) {
      if (path === 'package-lock.json' || content.includes(0)) continue;
      content
        .toString('utf8')
        .split('\n')
        .forEach((line, index) => {
          const inImage = /(^|\/)(Dockerfile|[\w.-]*\.Dockerfile)$/.test(path) && /\/home\/node\//.test(line);
          const found = inImage ? undefined : patterns.find(({ pattern }) => pattern.test(line));
          if (found) problems.push(`${path}:${index + 1} has ${found.what}: ${line.trim().slice(0, 120)}`);
        });
    }
    return problems;
  },
};
