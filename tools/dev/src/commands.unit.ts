import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..', '..');
const { scripts: written } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const call = (...args: string[]): { readonly code: number | null; readonly out: string; readonly err: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'tools/dev/entry.mjs'), ...args]);
  return { code: status, out: stdout.toString(), err: stderr.toString() };
};

describe('the scripts', () => {
  it('are each listed by npm run help, with a sentence, and nothing else is', () => {
    const { code, out } = call('help');
    expect(code).toBe(0);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => /^ {2}npm (?:run )?(\S+) +(\S.*\.)$/.exec(line));
    expect(lines.map((match) => match?.[1]).sort()).toEqual(Object.keys(written).sort());
  });

  it.each(Object.keys(written))('refuse an unknown option in one line, with the usage and exit code 2: %s', (name) => {
    const { code, out, err } = call(name, '--nonsense', 'x');
    expect([code, out]).toEqual([2, '']);
    const [line, usage, ...rest] = err.trimEnd().split('\n');
    expect([line, rest]).toEqual(['There is no option --nonsense.', []]);
    expect(usage).toMatch(new RegExp(`^usage: npm (run )?${name}\\b`));
  });

  it('refuse an option without its value, a flag with one, a surplus word and an unknown command', () => {
    expect(call('chaos', '--seed')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^The option --seed needs a value\.\nusage: /),
    });
    expect(call('bench', '--short=1')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^The option --short takes no value\./),
    });
    expect(call('stop', 'now')).toMatchObject({ code: 2, err: 'It takes no "now".\nusage: npm run stop\n' });
    expect(call('fly')).toMatchObject({ code: 2, err: 'There is no command "fly"; npm run help lists them.\n' });
  });

  it.each(['--help', '-h'])('say what they are for when %s asks for it, and do nothing', (asked) => {
    const out = expect.stringMatching(/^[A-Z][^\n]+\.\nusage: npm run stop\n$/);
    expect(call('stop', asked)).toMatchObject({ code: 0, out, err: '' });
  });

  it.each([
    ['audit:verify', /^Walks the audit log [^\n]+\.\nusage: npm run audit:verify [^\n]+\n$/],
    ['demo:bulk', /^usage: npm run demo:bulk /],
    ['bench', /^usage: npm run bench /],
    ['chaos', /^usage: npm run chaos /],
    ['new-service', /^Usage: npm run new-service /],
  ])('show their own help by -h too, and build nothing for it: %s', (name, out) => {
    expect(call(name, '-h')).toMatchObject({ code: 0, out: expect.stringMatching(out), err: '' });
  });

  it.each([
    ['chaos', ['--points', '0'], 'The option --points takes a whole number from 1 to 10000, not "0".'],
    ['chaos', ['--seed=abc'], 'The option --seed takes a whole number from 0 to 2147483647, not "abc".'],
    ['bench', ['send', '--rounds', '1.5'], 'The option --rounds takes a whole number from 1 to 10000000, not "1.5".'],
    ['demo:bulk', ['--recipients', '-1'], 'The option --recipients takes a whole number from 1 to 100000, not "-1".'],
    ['demo:bulk', ['--per-hour='], 'The option --per-hour takes a whole number from 1 to 1000000, not "".'],
    ['chaos', ['--points', '20', '--seed', '0'], null],
  ])(
    'refuse a number that is none, or out of its range, before anything is built: %s %j',
    async (name, args, problem) => {
      const { problemOf } = (await import(join(root, 'tools/dev/commands.mjs'))) as {
        readonly problemOf: (name: string, args: readonly string[]) => string | null;
      };
      expect(problemOf(name, args)).toBe(problem);
    },
  );

  it('take the short options of Jest, each by its own name', () => {
    expect(call('test', '-t')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^The option -t needs a value\.\n/),
    });
    expect(call('test', '-i', '-z')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^There is no option -z\.\n/),
    });
  });

  it.each([
    ['bench', 'tools/bench/src/main.ts'],
    ['chaos', 'tools/chaos/src/main.ts'],
    ['check', 'tools/check/src/main.ts'],
    ['admin', 'tools/admin/src/command-line.ts'],
    ['demo:bulk', 'tools/dev/src/demo-bulk-main.ts'],
    ['sim', 'tools/dev/src/sim.command.ts'],
  ])('take the options of their programs: %s', async (name, file) => {
    const { scripts } = (await import(join(root, 'tools/dev/commands.mjs'))) as {
      readonly scripts: Readonly<
        Record<string, { readonly options?: readonly string[]; readonly flags?: readonly string[] }>
      >;
    };
    const source = readFileSync(join(root, file), 'utf8');
    const options = [...source.matchAll(/'?([\w-]+)'?: \{ type: '(string|boolean)'/g)];
    const named = (type: string): string[] => options.filter((one) => one[2] === type).map(([, option = '']) => option);
    expect(options.length).toBeGreaterThan(0);
    expect([...(scripts[name]?.options ?? [])].sort()).toEqual(named('string').sort());
    expect([...(scripts[name]?.flags ?? [])].sort()).toEqual(named('boolean').sort());
  });
});
