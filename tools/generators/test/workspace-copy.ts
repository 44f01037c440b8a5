import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);

/** How a command ended. */
export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A copy of this workspace, built, with the packages that are installed here. */
export class WorkspaceCopy {
  private constructor(readonly root: string) {}

  /** Copies what Git knows and what is built. */
  static async make(): Promise<WorkspaceCopy> {
    // The real path: resolved files would otherwise lie outside where the temporary folder is a link.
    const copy = new WorkspaceCopy(await realpath(await mkdtemp(join(tmpdir(), 'switchboard-workspace-'))));
    // PostgreSQL's account passes through, where root runs the tests.
    await chmod(copy.root, 0o711);
    const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
    });
    const present = await Promise.all(
      stdout
        .split('\0')
        .filter(Boolean)
        .map(async (path) => copy.copy(path)),
    );
    const manifests = present.filter((path) => /^(apps|libs|tools)\/[^/]+\/package\.json$/.test(path));
    await Promise.all(manifests.map((path) => copy.copy(join(dirname(path), 'dist'))));
    await copy.linkPackages(manifests.map(dirname));
    await copy.linkNatsServer();
    await copy.git('init', '--quiet');
    return copy;
  }

  /** Lets a new package be found by its name, as an installation does. */
  async link(folder: string): Promise<void> {
    const name = folder.split('/').at(-1) ?? '';
    await symlink(join(this.root, folder), join(this.root, 'node_modules', '@switchboard', name));
  }

  /** Runs a JavaScript file with the Node of this test. */
  async node(file: string, ...args: readonly string[]): Promise<Ended> {
    const nx = { NX_DAEMON: 'false', NX_NO_CLOUD: 'true', NX_TUI: 'false', NX_ISOLATE_PLUGINS: 'false' };
    // What its tests write lies where this copy does, and clusters go with it: in memory, where there is room.
    const environment = { ...nx, TMPDIR: tmpdir(), POSTGRES_STATE_DIR: join(this.root, '.cache', 'state') };
    const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
    const path = `${join(this.root, 'node_modules', '.bin')}:/usr/local/bin:/usr/bin:/bin`;
    const options = { cwd: this.root, env: { ...environment, PATH: path }, maxBuffer: 64 * 1_024 * 1_024 };
    return run(process.execPath, [...flags, join(this.root, file), ...args], options).then(
      ({ stdout, stderr }) => ({ exitCode: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => ({ ...error, exitCode: error.code }),
    );
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  private async git(...args: readonly string[]): Promise<void> {
    await run('git', [...args], { cwd: this.root });
  }

  /** @returns the path; what is not there is left out, as a file that was deleted but not yet committed */
  private async copy(path: string): Promise<string> {
    await mkdir(dirname(join(this.root, path)), { recursive: true });
    await cp(join(root, path), join(this.root, path), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    return path;
  }

  /** The one that is here, or that either of them fetches: not one more from the network in the middle of the tests. */
  private async linkNatsServer(): Promise<void> {
    const fetched = join(root, '.cache', 'nats');
    await mkdir(fetched, { recursive: true });
    await mkdir(join(this.root, '.cache'), { recursive: true });
    await symlink(fetched, join(this.root, '.cache', 'nats'));
  }

  private async linkPackages(folders: readonly string[]): Promise<void> {
    const modules = join(this.root, 'node_modules');
    await mkdir(join(modules, '@switchboard'), { recursive: true });
    const installed = (await readdir(join(root, 'node_modules'))).filter((name) => name !== '@switchboard');
    await Promise.all(installed.map((name) => symlink(join(root, 'node_modules', name), join(modules, name))));
    for (const folder of folders) {
      await this.link(folder);
      // Versions of its own, where the workspace has several.
      const own = join(root, folder, 'node_modules');
      if (existsSync(own)) await symlink(own, join(this.root, folder, 'node_modules'));
    }
  }
}
