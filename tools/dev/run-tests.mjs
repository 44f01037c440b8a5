/** `npm test`: Jest on servers that it starts itself, and the plain closing line. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { prepare } from './prepare.mjs';
import { findNode, modules, root, run } from './programs.mjs';

/** @returns the exit code: 0 when every test passed */
export async function runTests(args) {
  await prepare();
  const code = await run(findNode(), [join(root, 'tools', 'dev', 'dist', 'main.js'), 'prepare']);
  if (code !== 0) return code;
  // All that the tests write for a while lies below it, and goes with it: also of a run that is interrupted.
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  const report = join(folder, 'report.json');
  try {
    const jest = join(modules, 'jest', 'bin', 'jest.js');
    const options = ['--json', `--outputFile=${report}`, ...(process.stderr.isTTY ? ['--colors'] : []), ...args];
    // --json prints the report on stdout as well: it is read from the file, the readable account is on stderr.
    const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
    const environment = { TMPDIR: folder };
    // The channel shows Jest that this process is gone, however it ended (tools/e2e/src/global-setup.ts).
    const channel = { ipc: true, isStdoutDropped: true, environment };
    const exitCode = await run(findNode(), [...flags, jest, ...options], channel);
    const result = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
    const passed = result?.numPassedTests ?? 0;
    // A file that could not be loaded hides its tests: it counts as a failed one.
    let failed = (result?.numFailedTests ?? 0) + (result?.numRuntimeErrorTestSuites ?? 0);
    if (exitCode !== 0 && failed === 0) failed = 1;
    const skipped = (result?.numPendingTests ?? 0) + (result?.numTodoTests ?? 0);
    process.stdout.write(slowestFiles(result?.testResults ?? []));
    process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
    return exitCode === 0 && failed > 0 ? 1 : exitCode;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The ten files that took longest, with their seconds. */
function slowestFiles(results) {
  const files = results.map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }));
  const slowest = files.sort((a, b) => b.seconds - a.seconds).slice(0, 10);
  return slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${relative(root, name)}\n`).join('');
}
