import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkspaceCopy } from '../test/workspace-copy.js';

const GENERATE = ['node_modules/nx/dist/bin/nx.js', 'generate', '@switchboard/generators:service'] as const;
const COMMAND = 'tools/generators/dist/main.js';

/** What `npm run check` asks of the files of a service; types and format of the others cannot have changed. */
const CHECKS = [
  'lint',
  'boundaries',
  'pins',
  'dependencies',
  'lock file',
  'addresses',
  'file lengths',
  'names',
  'barrels',
  'docstrings',
  'statement names',
  'migration order',
  'service packages',
  'service readmes',
  'rpc grants',
  'test timeouts',
  'citations',
];
const TYPED = JSON.stringify({ extends: './tsconfig.base.json', include: ['apps/billing/src'] });
const FORMATTED = ['apps/billing', 'libs/contracts/src/topology.ts', 'README.md', 'docker-compose.yml', 'deploy'];

let copy: WorkspaceCopy;
const textOf = (path: string): Promise<string> => readFile(join(copy.root, path), 'utf8');

beforeAll(async () => {
  copy = await WorkspaceCopy.make();
});
afterAll(async () => copy?.remove());

describe('npm run new-service', () => {
  it.each([
    ['a name with a dash', ['bulk-sends'], /^"bulk-sends" is no name of a service: .*\n$/],
    ['a name in capitals', ['Billing'], /^"Billing" is no name of a service: .*\n$/],
    ['the name of a service', ['contacts'], /^"contacts" is taken by a package of this workspace\.\n$/],
    ['the name of a library', ['outbox'], /^"outbox" is taken .*\n$/],
    ['a key word of SQL', ['order'], /^"order" is reserved\.\n$/],
    ['a name that NATS uses', ['provisioner'], /^"provisioner" is reserved\.\n$/],
    ['no name', [], /^The name of the service is missing\.\nUsage: npm run new-service -- <name>\n/],
    ['two names', ['one', 'two'], /^One name at a time: one, two\.\nUsage: /],
    ['an unknown option', ['billing', '--force'], /^Unknown option --force\.\nUsage: /],
  ])('refuses %s in one line with exit code 2', async (_what, args, expected) => {
    const { exitCode, stdout, stderr } = await copy.node(COMMAND, ...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(expected);
  });

  it('explains itself', async () => {
    const { exitCode, stdout } = await copy.node(COMMAND, '--help');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Usage: npm run new-service -- <name>\n/);
  });
});

describe('a generated service', () => {
  const succeeds = async (file: string, ...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await copy.node(file, ...args);
    expect({ exitCode, output: exitCode === 0 ? '' : stdout + stderr }).toEqual({ exitCode: 0, output: '' });
    return stdout + stderr;
  };

  beforeAll(async () => {
    await succeeds(...GENERATE, 'billing');
    await copy.link('apps/billing');
    // The copy brings the others built: only these two changed. One after the other: the service's bundle holds the contracts as they are built.
    for (const changed of ['@switchboard/contracts', '@switchboard/billing']) {
      const only = [`--projects=${changed}`, '--excludeTaskDependencies', '--outputStyle=static'];
      await succeeds('node_modules/nx/dist/bin/nx.js', 'run-many', '-t', 'build', ...only);
    }
    await succeeds('tools/check/dist/main.js', '--write');
  });

  it('is registered once, and with that in everything that deploys it', async () => {
    expect(await textOf('libs/contracts/src/topology.ts')).toContain('  billing: {\n    serves: [],');
    expect(await textOf('docker-compose.yml')).toContain('\n  billing:\n    <<: *service\n');
    expect(await textOf('docker-compose.yml')).toContain('\n  migrate-billing:\n    <<: *step\n');
    expect(await textOf('deploy/docker/Dockerfile')).toContain('--workspace apps/billing ');
    expect(await textOf('deploy/prometheus/prometheus.yml')).toContain('job_name: billing');
    expect(await textOf('deploy/prometheus/alerts.yml')).toContain('absent(up{job="billing"})');
    expect(await textOf('deploy/nats/nats.conf')).toContain('user: "billing"');
    expect(await textOf('deploy/postgres/roles.sql')).toContain('"switchboard_billing_migrator"');
    expect(await textOf('.env.example')).toContain('# BILLING_DATABASE_PASSWORD=');
    expect(await textOf('README.md')).toContain('[apps/billing](apps/billing/README.md)');
  });

  it('passes the checks, which see it: a file of it that imports another service is refused', async () => {
    await writeFile(join(copy.root, 'tsconfig.billing.json'), TYPED);
    await succeeds('node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.billing.json');
    await succeeds('node_modules/prettier/bin/prettier.cjs', '--check', ...FORMATTED);
    const illegal = join(copy.root, 'apps/billing/src/neighbour');
    await mkdir(illegal);
    await writeFile(join(illegal, 'ask.ts'), "import '../../../contacts/src/contacts.config.js';\n");
    // One run for both: this import breaks two rules, and no check finds anything else of the service.
    const { exitCode, stdout } = await copy.node('tools/check/dist/main.js', '--only', CHECKS.join());
    expect(exitCode).toBe(1);
    const findings = stdout.split('\n').filter((line) => /^ {2}.*(billing|topology)/.test(line));
    const broken = ['packages-by-their-entry', 'services-never-import-services'];
    expect(findings).toEqual(
      broken.map(
        (rule) => `  apps/billing/src/neighbour/ask.ts must not import apps/contacts/src/contacts.config.ts (${rule})`,
      ),
    );
  });

  it('migrates, starts, is ready and stops: its own tests pass on real servers', async () => {
    const output = await succeeds('node_modules/jest/bin/jest.js', '--runInBand', 'apps/billing/');
    expect(output).toMatch(/Tests:\s+6 passed, 6 total/);
  });
});
