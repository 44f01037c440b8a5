import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads `+ pid signal` and `- pid`. Its input ends when our process is gone, however it ended: then it signals the pids
 * that are left, and kills after 5 s those that stayed.
 */
const script = `
left=''
while read -r op pid signal; do
  rest=''
  for entry in $left; do [ "\${entry%:*}" = "$pid" ] || rest="$rest $entry"; done
  left="$rest"
  [ "$op" = + ] && left="$left $pid:$signal"
done
[ -z "$left" ] && exit 0
for entry in $left; do kill -s "\${entry#*:}" "\${entry%:*}" 2>/dev/null; done
for second in 1 2 3 4 5; do
  sleep 1
  rest=''
  for entry in $left; do kill -s 0 "\${entry%:*}" 2>/dev/null && rest="$rest $entry"; done
  left="$rest"
  [ -z "$left" ] && exit 0
done
for entry in $left; do kill -s KILL "\${entry%:*}" 2>/dev/null; done
`;

let watchdog: ChildProcess | undefined;
const watched = new Set<number>();

/**
 * Has a process ended when ours is killed by SIGKILL, which nothing inside our process could answer. The watchdog is a
 * shell of one megabyte that runs while anything is watched.
 *
 * @param signal the process's own way to end in order; SIGKILL follows after 5 s.
 */
export function watchOver(pid: number, signal: NodeJS.Signals): void {
  watched.add(pid);
  watchdog ??= startWatchdog();
  watchdog.stdin?.write(`+ ${pid} ${signal.replace('SIG', '')}\n`);
}

/** To be called when the process has ended: its pid may soon belong to another. */
export function forget(pid: number): void {
  if (!watched.delete(pid)) return;
  watchdog?.stdin?.write(`- ${pid}\n`);
  if (watched.size > 0) return;
  watchdog?.stdin?.end();
  watchdog = undefined;
}

function startWatchdog(): ChildProcess {
  // A group of its own: Ctrl-C in a terminal must not end it before us.
  const shell = spawn('/bin/sh', ['-c', script], { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Without it we are as safe as before; there is no log to write to.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return shell;
}
