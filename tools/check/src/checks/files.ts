import { posix } from 'node:path';
import type { Check } from '../check.js';
import { isGenerated, typescriptFiles } from '../sources.js';

const linesMax = 300;

/** No TypeScript file that a hand writes has more than 300 lines. Source: docs/conventions.md#shape. */
export const fileLengthCheck: Check = {
  name: 'file lengths',
  run(sources) {
    return typescriptFiles(sources).flatMap(({ path, text }) => {
      const lines = text.split('\n').length - 1;
      return lines > linesMax && !isGenerated(path) ? [`${path} has ${lines} lines, more than ${linesMax}`] : [];
    });
  },
};

/** The repository holds no binary files: they cannot be reviewed. */
export const binariesCheck: Check = {
  name: 'binaries',
  run({ files }) {
    return [...files].flatMap(([path, content]) =>
      content.subarray(0, 8192).includes(0) ? [`${path} is a binary file`] : [],
    );
  },
};

/** Words that say nothing of what is inside. Source: docs/conventions.md#shape. */
const emptyWord = /^(utils?|helpers?|common|shared|misc|managers?|base)$|-(utils?|helpers?|managers?)$/;

/** No file or folder of the packages has a name that would fit anything. */
export const namesCheck: Check = {
  name: 'names',
  run({ files }) {
    const problems = new Set<string>();
    for (const path of files.keys()) {
      if (!/^(apps|libs|tools|docs|deploy)\//.test(path)) continue;
      const segments = posix.dirname(path).split('/');
      const folder = segments.findIndex((segment) => emptyWord.test(segment));
      if (folder >= 0) problems.add(`the folder ${segments.slice(0, folder + 1).join('/')} has an empty name`);
      const stem = posix.basename(path).split('.')[0] ?? '';
      if (emptyWord.test(stem)) problems.add(`${path} has an empty name`);
    }
    return [...problems];
  },
};
