/** `npm test`: Jest on servers that it starts itself, and the plain closing line. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { prepare } from './prepare.mjs';
import { findNode, modules, root, run } from './programs.mjs';
import { makeTestFolder } from './test-folder.mjs';

/**
 * Of Jest's workers too. What a test file loads is young memory that outlives the usual small space, and would be copied twice;
 * the code that files share is to stay compiled from one to the next.
 */
const memory = ['--min-semi-space-size=32', '--max-semi-space-size=64', '--no-flush-bytecode'];

/** @returns the exit code: 0 when every test passed */
export async function runTests(args) {
  await prepare();
  const code = await run(findNode(), [join(root, 'tools', 'dev', 'dist', 'main.js'), 'prepare']);
  if (code !== 0) return code;
  // All that the tests write for a while lies below it, and goes with it: also of a run that is interrupted.
  const folder = makeTestFolder();
  const report = join(folder, 'report.json');
  try {
    const jest = join(modules, 'jest', 'bin', 'jest.js');
    const options = ['--json', `--outputFile=${report}`, ...(process.stderr.isTTY ? ['--colors'] : []), ...args];
    // The readable account is on stderr, with what tests print; on stdout is what services log that run within them.
    const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', ...memory];
    // Their PostgreSQL has no certificate, whatever the caller asks of other servers.
    const environment = { TMPDIR: folder, POSTGRES_STATE_DIR: join(folder, 'state'), PGSSLMODE: 'disable' };
    // The channel shows Jest that this process is gone, however it ended (tools/e2e/src/global-setup.ts).
    const channel = { ipc: true, isStdoutDropped: true, environment };
    const exitCode = await run(findNode(), [...flags, jest, ...options], channel);
    const result = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
    const passed = result?.numPassedTests ?? 0;
    // A file that could not be loaded hides its tests: it counts as a failed one.
    let failed = (result?.numFailedTests ?? 0) + (result?.numRuntimeErrorTestSuites ?? 0);
    if (exitCode !== 0 && failed === 0) failed = 1;
    const skipped = (result?.numPendingTests ?? 0) + (result?.numTodoTests ?? 0);
    process.stdout.write(durations(result?.testResults ?? []));
    process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
    return exitCode === 0 && failed > 0 ? 1 : exitCode;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The ten files that took longest, and the time of all files of each project, with their seconds. */
function durations(results) {
  const files = results.map(({ name, startTime, endTime }) => [relative(root, name), (endTime - startTime) / 1_000]);
  const projects = new Map();
  for (const [name, seconds] of files) {
    const project = name.split(sep).slice(0, 2).join('/');
    projects.set(project, (projects.get(project) ?? 0) + seconds);
  }
  return `the slowest files:\n${table(files).slice(0, 10).join('')}files of each project:\n${table([...projects]).join('')}`;
}

function table(rows) {
  return rows.sort(([, a], [, b]) => b - a).map(([name, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${name}\n`);
}
