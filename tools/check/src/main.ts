import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { addressesCheck } from './checks/addresses.js';
import { apiDescriptionCanaryCheck, apiDescriptionCheck } from './checks/api-description.js';
import { barrelsCheck } from './checks/barrels.js';
import { boundariesCheck } from './checks/boundaries.js';
import { boundaryCanaryCheck } from './checks/boundary-canaries.js';
import { citationsCheck } from './checks/citations.js';
import { contractVersionsCheck, writeSnapshots } from './checks/contract-versions.js';
import { docstringsCheck } from './checks/docstrings.js';
import { binariesCheck, fileLengthCheck, namesCheck } from './checks/files.js';
import { folderAddressesCheck } from './checks/folder-addresses.js';
import { formatCheck } from './checks/format.js';
import { generatedCheck, writeGeneratedFiles } from './checks/generated.js';
import { lintCanaryCheck, lintCheck } from './checks/lint.js';
import { lockfileCheck } from './checks/lockfile.js';
import { migrationOrderCheck } from './checks/migration-order.js';
import { packageDependenciesCheck } from './checks/package-dependencies.js';
import { packagePinsCheck } from './checks/package-pins.js';
import { rpcGrantsCheck } from './checks/rpc-grants.js';
import { servicePackagesCheck } from './checks/service-packages.js';
import { serviceReadmesCheck } from './checks/service-readmes.js';
import { statementNamesCheck } from './checks/statement-names.js';
import { testTimeoutsCheck } from './checks/test-timeouts.js';
import { typesCheck } from './checks/types.js';
import { runChecks } from './run-checks.js';
import { readSources } from './sources.js';

// npm run check: every check in this order, however many fail; exit code 1 when one did. With --only <name>,<name> those
// alone, for a developer's loop. With --write it writes the generated files and the snapshots instead, as far as they may be
// written.
const checks = [
  typesCheck,
  lintCheck,
  lintCanaryCheck,
  formatCheck,
  boundariesCheck,
  boundaryCanaryCheck,
  generatedCheck,
  apiDescriptionCheck,
  apiDescriptionCanaryCheck,
  contractVersionsCheck,
  packagePinsCheck,
  packageDependenciesCheck,
  lockfileCheck,
  addressesCheck,
  folderAddressesCheck,
  binariesCheck,
  fileLengthCheck,
  testTimeoutsCheck,
  namesCheck,
  barrelsCheck,
  docstringsCheck,
  statementNamesCheck,
  migrationOrderCheck,
  servicePackagesCheck,
  serviceReadmesCheck,
  rpcGrantsCheck,
  citationsCheck,
];
const root = resolve(import.meta.dirname, '..', '..', '..');
const sources = await readSources(root);
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const { values } = parseArgs({ options: { write: { type: 'boolean' }, only: { type: 'string' } } });

if (values.write === true) {
  for (const path of await writeSnapshots(sources)) print(`wrote ${path}`);
  for (const path of await writeGeneratedFiles(sources)) print(`wrote ${path}`);
  // What breaks somebody was not written, and what was may still be wrong.
  process.exitCode = (await runChecks([contractVersionsCheck], await readSources(root), print)) === 0 ? 0 : 1;
} else {
  const only = values.only?.split(',') ?? checks.map(({ name }) => name);
  const unknown = only.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) {
    const known = checks.map(({ name }) => name).join(', ');
    process.stderr.write(
      `--only: there is no check ${unknown.map((name) => `"${name}"`).join(', ')}; there are ${known}.\n`,
    );
    process.exitCode = 2;
  } else {
    const chosen = checks.filter(({ name }) => only.includes(name));
    process.exitCode = (await runChecks(chosen, sources, print)) === 0 ? 0 : 1;
  }
}
