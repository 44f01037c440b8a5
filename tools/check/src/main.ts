import { addressesCheck } from './checks/addresses.js';
import { apiDescriptionCanaryCheck, apiDescriptionCheck } from './checks/api-description.js';
import { barrelsCheck } from './checks/barrels.js';
import { boundariesCheck } from './checks/boundaries.js';
import { boundaryCanaryCheck } from './checks/boundary-canaries.js';
import { citationsCheck } from './checks/citations.js';
import { contractVersionsCheck, writeSnapshots } from './checks/contract-versions.js';
import { docstringsCheck } from './checks/docstrings.js';
import { binariesCheck, fileLengthCheck, namesCheck } from './checks/files.js';
import { formatCheck } from './checks/format.js';
import { generatedCheck, writeGeneratedFiles } from './checks/generated.js';
import { lintCanaryCheck, lintCheck } from './checks/lint.js';
import { lockfileCheck } from './checks/lockfile.js';
import { migrationOrderCheck } from './checks/migration-order.js';
import { packagePinsCheck } from './checks/package-pins.js';
import { servicePackagesCheck } from './checks/service-packages.js';
import { statementNamesCheck } from './checks/statement-names.js';
import { typesCheck } from './checks/types.js';
import { workspaceDependenciesCheck } from './checks/workspace-dependencies.js';
import { runChecks } from './run-checks.js';
import { readSources } from './sources.js';

// npm run check: every check in this order, however many fail; exit code 1 when one did.
// With --write it writes the generated files and the snapshots instead, as far as they may be written.
const root = new URL('../../..', import.meta.url).pathname.replace(/\/$/, '');
const sources = await readSources(root);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (process.argv.includes('--write')) {
  for (const path of await writeSnapshots(sources)) print(`wrote ${path}`);
  for (const path of await writeGeneratedFiles(sources)) print(`wrote ${path}`);
  // What breaks somebody was not written, and what was may still be wrong.
  process.exitCode = (await runChecks([contractVersionsCheck], await readSources(root), print)) === 0 ? 0 : 1;
} else {
  const problems = await runChecks(
    [
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
      workspaceDependenciesCheck,
      lockfileCheck,
      addressesCheck,
      binariesCheck,
      fileLengthCheck,
      namesCheck,
      barrelsCheck,
      docstringsCheck,
      statementNamesCheck,
      migrationOrderCheck,
      servicePackagesCheck,
      citationsCheck,
    ],
    sources,
    print,
  );
  process.exitCode = problems === 0 ? 0 : 1;
}
