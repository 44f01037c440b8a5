import { userInfo } from 'node:os';
import { join } from 'node:path';
import { readAdminConfig } from './admin.config.js';
import { runAdmin, USAGE } from './admin.js';

// A reader such as `head` may have seen enough: what the command does is done all the same.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const config = readAdminConfig(join(import.meta.dirname, '..', '..', '..'));
process.exitCode = await runAdmin(process.argv.slice(2), {
  config,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  operator: config.operator ?? accountName(),
});

if (process.exitCode === 2) process.stderr.write(`${USAGE}\n`);

/** Null for a user id without an account, as containers have them. */
function accountName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
