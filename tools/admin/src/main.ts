import { join } from 'node:path';
import { readAdminConfig } from './admin.config.js';
import { runAdmin } from './admin.js';

process.exitCode = await runAdmin(process.argv.slice(2), {
  config: readAdminConfig(join(import.meta.dirname, '..', '..', '..')),
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
});
