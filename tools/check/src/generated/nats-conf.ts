import { natsAccounts, natsServerSettings } from '@switchboard/nats';

/**
 * `deploy/nats/nats.conf`: the server of docker-compose.yml, with an account for each service and one for the streams.
 *
 * Passwords are variables of the server's environment, `NATS_<USER>_PASSWORD`. The server reads a variable as if its
 * value stood in the file, so the value needs quotes of its own: without them a password of digits would be a number.
 * Source: NATS documentation, "Configuration", "Variables".
 */
export function natsConf(): string {
  return [
    '# Generated from the topology in libs/contracts: npm run check -- --write',
    '# Passwords come from the environment, each with double quotes around it.',
    '',
    'listen: "0.0.0.0:4222"',
    '# For the health check within the container alone.',
    'http: "127.0.0.1:8222"',
    ...natsServerSettings.flatMap(({ setting, reason }) => [`# ${reason}`, setting]),
    '',
    'jetstream {',
    '  store_dir: "/data"',
    "  # sync_interval stays at the server's two minutes: what a crash of the machine takes from a stream is in the",
    '  # outbox tables for eight days. "always" would make each publish wait for the disk.',
    '}',
    '',
    '# An account for each service: what leaves it is imported subject by subject. The streams are in the account BROKER.',
    'accounts {',
    ...Object.entries(natsAccounts({ of: (user) => `$${passwordVariable(user)}` })).flatMap(([name, account]) => [
      `  ${name} {`,
      ...(account.jetstream ? [`    jetstream: ${account.jetstream}`] : []),
      '    users: [',
      ...account.users.flatMap(({ user, password, permissions }) => [
        '      {',
        `        user: ${JSON.stringify(user)}`,
        `        password: ${password}`,
        '        permissions: {',
        ...list('          ', 'publish', permissions?.publish ?? []),
        ...list('          ', 'subscribe', permissions?.subscribe ?? []),
        '        }',
        '      }',
      ]),
      '    ]',
      ...list('    ', 'exports', account.exports),
      ...list('    ', 'imports', account.imports),
      '  }',
    ]),
    '}',
    '',
  ].join('\n');
}

function passwordVariable(user: string): string {
  return `NATS_${user.toUpperCase()}_PASSWORD`;
}

/** In quotes, where `$JS` is no variable. */
function list(indent: string, name: string, items: readonly unknown[]): string[] {
  return [`${indent}${name}: [`, ...items.map((item) => `${indent}  ${JSON.stringify(item)}`), `${indent}]`];
}
