import type { DevJson } from './dev-json.js';

/** What a start says at its end: the console to open first, where everything else is, the key, and three commands that work when pasted. */
export function summarize(
  dev: DevJson,
  start: {
    readonly dataDir: string;
    readonly seconds: number;
    readonly isDetached: boolean;
    readonly allowsPrivate: boolean;
  },
): string {
  const organization = dev.organizations?.[0];
  const owner = organization?.users?.[0];
  const lines = [
    '',
    `  Ready in ${start.seconds.toFixed(1)} s.`,
    '',
    ...row('Console', dev.consoleUrl),
    ...row('Sign-in', owner && `${owner.email}  ${owner.password}`),
    '',
    ...row('API', dev.baseUrl),
    ...row('Reference', dev.docsUrl),
    ...row('Simulator', dev.simulatorUrl),
    ...row('API key', organization && `${organization.apiKey}  (${organization.name})`),
    ...row(
      'Webhooks',
      start.allowsPrivate ? 'http:// and private addresses allowed (WEBHOOKS_ALLOW_PRIVATE=true)' : undefined,
    ),
    ...row('Logs', `${start.dataDir}/logs`),
    ...row('Details', `${start.dataDir}/dev.json`),
  ];
  if (dev.baseUrl !== undefined && organization !== undefined) {
    lines.push('', '  Try:', '', ...commands(dev.baseUrl, organization.apiKey));
  }
  lines.push('', start.isDetached ? '  npm run stop ends it.' : '  Ctrl-C stops everything.', '');
  return lines.join('\n');
}

function row(label: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`  ${label.padEnd(10)} ${value}`];
}

function commands(baseUrl: string, apiKey: string): string[] {
  const authorization = `-H 'Authorization: Bearer ${apiKey}'`;
  const body = `'{"to":"+14155550123","text":"Hello from Switchboard"}'`;
  return [
    `curl ${baseUrl}/v1/ping ${authorization}`,
    `curl ${baseUrl}/v1/messages ${authorization} -H 'Content-Type: application/json' -d ${body}`,
    `curl ${baseUrl}/v1/conversations ${authorization}`,
  ];
}
