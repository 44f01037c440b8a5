import { describe, expect, it } from '@jest/globals';
import { topology } from '@switchboard/contracts/topology';
import { judgePackages } from '../checks/service-packages.js';
import { sourcesOf } from '../sources.js';
import { composeParts, scrapeJobs } from './compose-parts.js';
import { withParts } from './generated-part.js';

const file = 'a: 1\n  # [generated: b] by hand\n  old: 1\n  # [end]\nc: 1\n# [generated: d]\n# [end]\n';

describe('a generated part of a file', () => {
  it('is renewed with the indentation of its marker, and nothing else is touched', () => {
    const renewed = withParts('x', file, { b: ['new:', '  e: $1', ''], d: ['f: 1'] });
    expect(renewed).toBe(
      'a: 1\n  # [generated: b] by hand\n  new:\n    e: $1\n\n  # [end]\nc: 1\n# [generated: d]\nf: 1\n# [end]\n',
    );
    expect(withParts('x', renewed, { b: ['new:', '  e: $1', ''], d: ['f: 1'] })).toBe(renewed);
  });

  it('is never left out silently: a missing, an unknown and a doubled part are refused', () => {
    expect(() => withParts('x', file, { b: [] })).toThrow('x has the generated parts b, d instead of b');
    expect(() => withParts('x', file, { b: [], d: [], g: [] })).toThrow('instead of b, d, g');
    expect(() => withParts('x', file + file, { b: [], d: [] })).toThrow('parts b, d, b, d');
  });
});

describe('a further service', () => {
  const silent = { serves: [], calls: [], stream: null, consumes: [] };
  const more = { ...topology, billing: silent };

  it('is added to the parts of the deployment by its entry alone, without a way outside', () => {
    const nats = { users: ['gateway'], natsConf: '' };
    const [before, after] = [composeParts(topology, nats), composeParts(more, nats)];
    const added = (part: string): string => (after[part] ?? []).slice(before[part]?.length).join('\n');
    expect(added('database-passwords')).toMatch(/^BILLING_DATABASE_PASSWORD: .*\nBILLING_MIGRATOR_PASSWORD: /);
    expect(added('migrations')).toContain('migrate-billing:\n  <<: *step\n  command: [apps/billing/dist/migrate.js]');
    expect(added('services')).toContain('billing:\n  <<: *service\n  command: [apps/billing/dist/main.js]');
    expect(added('services')).not.toMatch(/networks|ports/);
    expect(scrapeJobs(more)).toContain('- job_name: billing');
  });

  it('is refused without its package, and a package without its entry', () => {
    const lonely = sourcesOf({ 'apps/other/src/migrate.ts': '' });
    const problems = judgePackages(lonely, ['billing']);
    expect(problems).toContain('apps/other is not registered in libs/contracts/src/topology.ts');
    expect(problems).toContain('the registered service billing has no apps/billing/schema.sql');
    expect(problems).toContain('apps/billing/package.json does not export ./config');
  });
});
