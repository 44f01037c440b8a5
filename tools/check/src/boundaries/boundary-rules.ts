import type { IForbiddenRuleType } from 'dependency-cruiser';
import { gatewayRules } from './gateway-rules.js';
import { verbRule } from './verb-folders.js';

/** Specs of every level and a package's `test` folder. */
const tests = '\\.(unit|int|e2e|bench)\\.tsx?$|^(apps|libs|tools)/[^/]+/test/';

/** A package below `node_modules`, wherever that folder is. */
const installed = (name: string): string => `(^|/)node_modules/${name}/`;

const rules: readonly IForbiddenRuleType[] = [
  {
    name: 'services-never-import-services',
    comment: 'Services meet through contracts: an rpc or an event.',
    from: { path: '^apps/([^/]+)/' },
    to: { path: '^apps/', pathNot: '^apps/$1/' },
  },
  {
    name: 'libraries-never-import-services',
    comment: 'A library that knows a service cannot serve another.',
    from: { path: '^libs/' },
    to: { path: '^apps/' },
  },
  {
    name: 'contracts-import-nothing',
    comment: 'Contracts are read by every service and by browsers: no framework, no Node built-in, no other library.',
    from: { path: '^libs/contracts/src/', pathNot: tests },
    to: { pathNot: '^libs/contracts/src/' },
  },
  {
    name: 'timing-imports-nothing',
    comment: 'Every library and service may import it: what it imported itself could not.',
    from: { path: '^libs/timing/src/', pathNot: tests },
    to: { pathNot: ['^libs/timing/src/', '^(node:)?timers'] },
  },
  {
    name: 'typeorm-in-its-rooms',
    comment: 'TypeORM is for entities, migrations, repositories and the module that wires them.',
    from: {
      pathNot: [
        tests,
        '^libs/postgres/',
        '^apps/[^/]+/(src/)?migrations/',
        '^apps/[^/]+/src/.*\\.(entity|repository|module)\\.ts$',
      ],
    },
    to: { path: installed('typeorm') },
  },
  {
    name: 'pg-in-its-rooms',
    comment: 'Connections, pools and types of pg stay in libs/postgres; tools reach the servers that they start.',
    from: { pathNot: [tests, '^libs/postgres/', '^tools/', '^apps/[^/]+/src/.*\\.(repository|batch)\\.ts$'] },
    to: { path: installed('pg') },
  },
  {
    name: 'nats-in-its-room',
    comment: 'Deadlines, tenants and traces are added in libs/nats; a bare client would send without them.',
    from: { pathNot: '^libs/nats/' },
    to: { path: installed('@nats-io') },
  },
  {
    name: 'coalesce-only-in-batches',
    comment: 'Coalesced code obeys a law of its own; it is found by the name of its file.',
    from: { pathNot: [tests, '\\.batch\\.ts$', '^libs/postgres/src/(?!index\\.ts$)'] },
    to: { path: '^libs/postgres/src/coalesce(\\.ts$|/)' },
  },
  {
    name: 'simulator-imports-nothing-of-ours',
    comment: 'It stands for the provider: an error that we share with it would go unseen.',
    from: { path: '^apps/upstream-simulator/' },
    to: { path: '^(apps|libs|tools)/', pathNot: '^apps/upstream-simulator/' },
  },
  {
    name: 'console-knows-the-api-alone',
    comment: 'It runs in browsers and uses what any caller could: the application API, by its description.',
    from: { path: '^apps/console/' },
    to: { path: '^(apps|libs|tools)/', pathNot: '^apps/console/' },
  },
  {
    name: 'console-has-no-built-ins',
    comment: 'A browser has none of them; the build runs in Node.',
    from: { path: '^apps/console/src/', pathNot: tests },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'test-parts-only-in-tests',
    comment: 'Real servers, harness and tools never ship in a service.',
    from: { path: '^(apps|libs)/', pathNot: [tests, '^libs/(embedded-servers|testing)/'] },
    to: { path: '^(libs/(embedded-servers|testing)|tools)/' },
  },
  {
    name: 'environment-only-in-config',
    comment: 'The linter sees `process.env`; imported from node:process the environment would pass it.',
    from: { path: '^(apps|libs)/', pathNot: '\\.config\\.ts$' },
    to: { path: '^(node:)?process$', dependencyTypes: ['core'] },
  },
  {
    name: 'packages-by-their-entry',
    comment: 'Another package is imported by its name: a relative path walks around its exports.',
    from: { path: '^((?:apps|libs|tools)/[^/]+)/' },
    to: { path: '^(apps|libs|tools)/', pathNot: '^$1/', dependencyTypesNot: ['aliased-workspace'] },
  },
  {
    name: 'declared-packages-only',
    comment: 'What package.json does not name is there by luck: another package brings it.',
    from: { path: '^(apps|libs|tools)/' },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'no-development-packages-at-run-time',
    comment: 'A development dependency of the root is missing where only a service is installed.',
    from: {
      path: '^(apps|libs)/',
      pathNot: [tests, '^libs/(embedded-servers|testing)/', '^apps/console/vite\\.config\\.ts$'],
    },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  },
  { name: 'no-unresolvable-imports', from: {}, to: { couldNotResolve: true } },
  {
    name: 'no-cycles',
    comment: 'Under ESM a cycle shows as a name used before its initialisation, in some order of loading.',
    from: {},
    to: { circular: true },
  },
];

/**
 * All rules of the boundaries for a tree.
 *
 * @param paths the tree's files: which folders are verbs is read from the roles of the files in them.
 * Source: ADR 0001.
 */
export function boundaryRules(paths: readonly string[]): readonly IForbiddenRuleType[] {
  const named = [...rules, ...gatewayRules, verbRule(paths)];
  return named.map((rule) => ({ ...rule, severity: 'error' }));
}
