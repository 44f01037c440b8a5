import { describe, expect, it } from '@jest/globals';
import { sourcesOf } from '../sources.js';
import { judgeReadmes } from './service-readmes.js';

const CONFIG = "const schema = {\n  ...serviceConfigSchema,\n  HOUSE_KEY: text({ description: 'the key' }),\n};\n";
const SHARED = "export const serviceConfigSchema = {\n  NATS_URL: text({ description: 'nats:// URL' }),\n};\n";
const consumer = { name: 'house-doors', stream: 'DOORS', filter: 'doors.door.>', ackPendingMax: 1 };

/** The problems of a service `house` with this README. */
function problemsOf(readme: string): readonly string[] {
  const sources = sourcesOf({
    'libs/platform/src/config.ts': SHARED,
    'apps/house/src/house.config.ts': CONFIG,
    'apps/house/README.md': readme,
  });
  return judgeReadmes(sources, { house: { consumes: [consumer] } });
}

describe('the README of a service', () => {
  it('passes where it names every key and every filter', () => {
    const readme = '# house\n\nConsumes `doors.door.>`.\n\n## When it fails\n\n## Keys\n\n`NATS_URL`, `HOUSE_KEY`.\n';
    expect(problemsOf(readme)).toEqual([]);
  });

  it('is refused for a key of its own, a shared key and a filter that it leaves out', () => {
    const elsewhere =
      '# house\n\n`doors.>`, `NATS_URL`\n\n## When it fails\n\n`HOUSE_KEY` is wrong.\n\n## Keys\n\nNone.\n';
    expect(problemsOf(elsewhere)).toEqual([
      'apps/house/README.md does not name NATS_URL under "## Keys"',
      'apps/house/README.md does not name HOUSE_KEY under "## Keys"',
      'apps/house/README.md does not name doors.door.>, which the service consumes',
    ]);
  });

  it('is refused for other headings', () => {
    const readme = '# house\n\n`doors.door.>`\n\n## How it fails\n\n## Keys\n\n`NATS_URL`, `HOUSE_KEY`\n';
    expect(problemsOf(readme)).toEqual(['apps/house/README.md has no heading "## When it fails"']);
  });
});
