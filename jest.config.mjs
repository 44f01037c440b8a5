import { totalmem } from 'node:os';

/** What a worker, a stack of every service, their servers and a browser need at most, in bytes. */
const OF_WORKER = 4 * 1024 ** 3;

/** @type {import('jest').Config} One configuration for every level; the level is in the file's name. */
export default {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  // What the files of a worker share is started here; built, for Jest loads these two before it can transform.
  globalSetup: '<rootDir>/tools/e2e/dist/global-setup.js',
  globalTeardown: '<rootDir>/tools/e2e/dist/global-teardown.js',
  // Half of its time a worker waits for a database, a broker or a service: four keep two processors busy.
  maxWorkers: Math.min(Math.max(Math.floor(totalmem() / OF_WORKER), 1), 4),
  // Modules of former files stay in memory: a worker begins anew before they are gigabytes, but not often, for it compiles anew too.
  workerIdleMemoryLimit: '1GB',
  // Its loop is empty at once, but to give back gigabytes takes longer than the usual half second where the machine is busy: what is
  // reported as not exiting is a leak.
  workerGracefulExitTimeout: 30_000,
  // Compiles packages once a worker in place of once a file.
  runtime: '<rootDir>/tools/dev/test-runtime.mjs',
  testSequencer: '<rootDir>/tools/dev/test-order.mjs',
  // Of transformed sources. A run of all tests has a temporary folder of its own, where it would be lost.
  cacheDirectory: '<rootDir>/.cache/jest',
  testMatch: ['<rootDir>/{apps,libs,tools}/*/{src,test}/**/*.(unit|int|e2e).ts'],
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/', '<rootDir>/\\.data', '<rootDir>/\\.cache'],
  extensionsToTreatAsEsm: ['.ts'],
  // Sources name each other as what they are built into. Packages do not: theirs may end in .json.js, which is no JSON.
  moduleNameMapper: { '^(\\.{1,2}/.*)(?<!\\.json)\\.js$': '$1' },
  testEnvironmentOptions: { customExportConditions: ['@switchboard/source', 'node', 'node-addons'] },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          keepClassNames: true,
          target: 'es2023',
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Ends what hangs; no measure of speed: other processes may have most of the machine.
  testTimeout: 600_000,
  coverageProvider: 'v8',
};
