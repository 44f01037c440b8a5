import { describe, expect, it } from '@jest/globals';
import { sourcesOf } from '../sources.js';
import { migrationOrderCheck } from './migration-order.js';

const FOLDER = 'apps/a/src/migrations';
const FIRST = ['First1764000000000', '1764000000000-first'] as const;
const SECOND = ['Second1764000001000', '1764000001000-second'] as const;

function problemsOf(...listed: readonly (readonly [name: string, file: string])[]): readonly string[] {
  const imports = listed.map(([name, file]) => `import { ${name} } from './${file}.js';\n`).join('');
  const list = `${imports}\nexport const aMigrations = [${listed.map(([name]) => name).join(', ')}] as const;\n`;
  const texts = { [`${FOLDER}/all.ts`]: list, [`${FOLDER}/${FIRST[1]}.ts`]: '', [`${FOLDER}/${SECOND[1]}.ts`]: '' };
  return migrationOrderCheck.run(sourcesOf(texts)) as readonly string[];
}

describe('the order of migrations', () => {
  it('passes where list, timestamps and files agree', () => {
    expect(problemsOf(FIRST, SECOND)).toEqual([]);
  });

  it('refuses a list that is not in the order of the timestamps', () => {
    expect(problemsOf(SECOND, FIRST)).toEqual([
      `${FOLDER}/all.ts lists First1764000000000 after Second1764000001000, whose timestamp is not smaller`,
    ]);
  });

  it('refuses two of one timestamp', () => {
    expect(problemsOf(FIRST, SECOND, ['Other1764000001000', '1764000001000-other'])).toHaveLength(1);
  });

  it('refuses a class whose file has another timestamp, or none', () => {
    expect(problemsOf(['First1764000000000', '1764000000001-first'], SECOND)).toEqual([
      `${FOLDER}/all.ts lists First1764000000000, but its file is 1764000000001-first.ts`,
      `${FOLDER}/1764000000000-first.ts is not listed in ${FOLDER}/all.ts`,
    ]);
    expect(problemsOf(FIRST, ['Second1764000001000', 'second'])).toHaveLength(2);
  });

  it('refuses a class without a timestamp, a file that is not listed, and an empty list', () => {
    expect(problemsOf(FIRST, SECOND, ['Third', '1764000002000-third'])).toContain(
      `${FOLDER}/all.ts lists Third, whose name does not end with a timestamp of 13 digits`,
    );
    expect(problemsOf(FIRST)).toEqual([`${FOLDER}/${SECOND[1]}.ts is not listed in ${FOLDER}/all.ts`]);
    expect(problemsOf()).toHaveLength(3);
  });
});
