import { natsUsers } from '@switchboard/nats';

/**
 * `deploy/nats/nats.conf`: the server of docker-compose.yml, with one user for each service and the provisioner.
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
    '# A domain event fits; the limit is the documented one, not an accident of a newer default.',
    'max_payload: 1MB',
    '',
    'jetstream {',
    '  store_dir: "/data"',
    "  # sync_interval stays at the server's two minutes: what a crash of the machine takes from a stream is in the",
    '  # outbox tables for eight days. "always" would make each publish wait for the disk.',
    '}',
    '',
    'authorization {',
    '  users: [',
    ...natsUsers().flatMap(({ user, permissions }) => [
      '    {',
      `      user: ${JSON.stringify(user)}`,
      `      password: $${passwordVariable(user)}`,
      '      permissions: {',
      ...list('publish', permissions.publish),
      ...list('subscribe', permissions.subscribe),
      '      }',
      '    }',
    ]),
    '  ]',
    '}',
    '',
  ].join('\n');
}

function passwordVariable(user: string): string {
  return `NATS_${user.toUpperCase()}_PASSWORD`;
}

/** In quotes, where `$JS` is no variable. */
function list(name: string, subjects: readonly string[]): string[] {
  return [`        ${name}: [`, ...subjects.map((subject) => `          ${JSON.stringify(subject)}`), '        ]'];
}
