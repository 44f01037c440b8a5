import { serviceNames } from '@switchboard/contracts/topology';
import type { Check } from '../check.js';
import { textOf, type Sources } from '../sources.js';

/** What the package of a service holds; its name is that of its folder, its schema, its NATS user and its database roles. */
const partsOf = (name: string): readonly string[] => [
  'README.md',
  'package.json',
  'schema.sql',
  `src/${name}.config.ts`,
  `src/${name}.module.ts`,
  'src/main.ts',
  'src/migrate.ts',
];

/** What the local run and the tests import from every service. */
const entries = ['./config', './migrations'];

/** The registered services and the packages that migrate a schema are the same, and each package is complete. */
export const servicePackagesCheck: Check = {
  name: 'service packages',
  run: (sources) => judgePackages(sources, serviceNames),
};

/** The problems of these services in these sources. */
export function judgePackages(sources: Sources, registered: readonly string[]): readonly string[] {
  const found = [...sources.files.keys()].flatMap((path) => /^apps\/([^/]+)\/src\/migrate\.ts$/.exec(path)?.[1] ?? []);
  const unregistered = found.filter((name) => !registered.includes(name));
  return [
    ...unregistered.map((name) => `apps/${name} is not registered in libs/contracts/src/topology.ts`),
    ...registered.flatMap((name) =>
      partsOf(name)
        .filter((part) => !sources.files.has(`apps/${name}/${part}`))
        .map((part) => `the registered service ${name} has no apps/${name}/${part}`),
    ),
    ...registered.flatMap((name) => {
      const manifest = JSON.parse(textOf(sources, `apps/${name}/package.json`) ?? '{}') as { exports?: object };
      const missing = entries.filter((entry) => !(entry in (manifest.exports ?? {})));
      return missing.map((entry) => `apps/${name}/package.json does not export ${entry}`);
    }),
  ];
}
