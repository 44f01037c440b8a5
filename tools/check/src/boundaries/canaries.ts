import { serviceNames } from '@switchboard/contracts/topology';

/** An illegal file, or a round of files, and the one rule that must name its first. */
export interface Canary {
  readonly rule: string;
  /** The file that breaks the rule. */
  readonly path: string;
  readonly text: string;
}

const imports = (specifier: string): string => `import '${specifier}';\n`;
const typeImport = (name: string, specifier: string): string =>
  `import type { ${name} } from '${specifier}';\nexport type Seen = ${name};\n`;

/** One or more for every rule, and one in every registered service; a rule without one fails the check. */
export const canaries: readonly Canary[] = [
  ...serviceNames.map((name) => ({
    rule: 'services-never-import-services',
    path: `apps/${name}/src/neighbour.ts`,
    text: imports(
      name === 'contacts' ? '../../messaging/src/message/message.policy.js' : '../../contacts/src/contacts.config.js',
    ),
  })),
  {
    rule: 'libraries-never-import-services',
    path: 'libs/platform/src/upward.ts',
    text: imports('../../../apps/contacts/src/contact/contact.entity.js'),
  },
  { rule: 'contracts-import-nothing', path: 'libs/contracts/src/framework.ts', text: imports('@nestjs/common') },
  { rule: 'contracts-import-nothing', path: 'libs/contracts/src/built-in.ts', text: imports('node:crypto') },
  { rule: 'contracts-import-nothing', path: 'libs/contracts/src/library.ts', text: imports('@switchboard/phone') },
  { rule: 'timing-imports-nothing', path: 'libs/timing/src/library.ts', text: imports('@switchboard/phone') },
  { rule: 'typeorm-in-its-rooms', path: 'apps/contacts/src/contact/contact.policy.ts', text: imports('typeorm') },
  {
    rule: 'typeorm-in-its-rooms',
    path: 'libs/outbox/src/typed.ts',
    text: typeImport('DataSource', 'typeorm'),
  },
  { rule: 'pg-in-its-rooms', path: 'apps/contacts/src/contact/contact.entity.ts', text: imports('pg') },
  { rule: 'nats-in-its-room', path: 'libs/platform/src/bare-nats.ts', text: imports('@nats-io/transport-node') },
  { rule: 'nats-in-its-room', path: 'apps/messaging/src/bare-nats.ts', text: imports('@nats-io/jetstream') },
  {
    rule: 'coalesce-only-in-batches',
    path: 'apps/messaging/src/send-message/send-message.ts',
    text: imports('@switchboard/postgres/coalesce'),
  },
  {
    rule: 'coalesce-only-in-batches',
    path: 'libs/postgres/src/index.ts',
    text: "export { coalesce } from './coalesce.js';\n",
  },
  {
    rule: 'simulator-imports-nothing-of-ours',
    path: 'apps/upstream-simulator/src/ours.ts',
    text: imports('@switchboard/phone'),
  },
  {
    rule: 'console-knows-the-api-alone',
    path: 'apps/console/src/pages/keys/keys.page.tsx',
    text: imports('@switchboard/contracts/grammar/cuid'),
  },
  {
    rule: 'console-knows-the-api-alone',
    path: 'apps/console/src/api/gateway.ts',
    text: imports('../../../gateway/src/identity/identity.module.js'),
  },
  { rule: 'console-has-no-built-ins', path: 'apps/console/src/api/files.ts', text: imports('node:fs') },
  {
    rule: 'test-parts-only-in-tests',
    path: 'apps/contacts/src/harness.ts',
    text: imports('@switchboard/embedded-servers'),
  },
  { rule: 'test-parts-only-in-tests', path: 'libs/nats/src/harness.ts', text: imports('@switchboard/testing') },
  { rule: 'test-parts-only-in-tests', path: 'apps/contacts/src/tool.ts', text: imports('@switchboard/dev') },
  {
    rule: 'environment-only-in-config',
    path: 'apps/contacts/src/environment.ts',
    text: "import { env } from 'node:process';\nexport const a = env;\n",
  },
  {
    rule: 'packages-by-their-entry',
    path: 'apps/contacts/src/around.ts',
    text: imports('../../../libs/phone/src/index.js'),
  },
  { rule: 'declared-packages-only', path: 'libs/phone/src/undeclared.ts', text: imports('undici') },
  { rule: 'no-development-packages-at-run-time', path: 'libs/phone/src/development.ts', text: imports('fast-check') },
  { rule: 'no-unresolvable-imports', path: 'libs/phone/src/absent.ts', text: imports('./nowhere.js') },
  {
    rule: 'no-unresolvable-imports',
    path: 'libs/outbox/src/inside.ts',
    text: imports('@switchboard/postgres/src/index.js'),
  },
  { rule: 'no-cycles', path: 'libs/outbox/src/round-a.ts', text: imports('./round-b.js') },
  {
    rule: 'verbs-never-import-verbs',
    path: 'apps/messaging/src/send-message/send-message.handler.ts',
    text: imports('../settle-message/settle-message.js'),
  },
  {
    rule: 'verbs-never-import-verbs',
    path: 'apps/gateway/src/v1/contacts/contacts.controller.ts',
    text: typeImport('a', '../messages/send-message.js'),
  },
  {
    rule: 'identity-only-by-contract',
    path: 'apps/gateway/src/http/admission.ts',
    text: imports('../identity/key/key.entity.js'),
  },
  {
    rule: 'identity-only-by-contract',
    path: 'apps/gateway/src/app/members/members.controller.ts',
    text: imports('../../identity/identity.module.js'),
  },
  {
    rule: 'modules-import-the-identity-module',
    path: 'apps/gateway/src/http/limits.module.ts',
    text: imports('../identity/key/key.entity.js'),
  },
  {
    rule: 'modules-import-the-identity-module',
    path: 'apps/gateway/src/gateway.module.ts',
    text: imports('./identity/key/key.entity.js'),
  },
  {
    rule: 'identity-only-by-contract',
    path: 'apps/gateway/src/new-room/inside.ts',
    text: imports('../identity/key/key.entity.js'),
  },
  {
    rule: 'identity-knows-no-http',
    path: 'apps/gateway/src/identity/key/outward.ts',
    text: imports('../../v1/messages/send-message.js'),
  },
  {
    rule: 'identity-only-by-contract',
    path: 'apps/gateway/src/bulk-intake/inside.ts',
    text: imports('../identity/key/key.entity.js'),
  },
  {
    rule: 'http-carries-every-route',
    path: 'apps/gateway/src/http/whole-page.ts',
    text: imports('../messages/whole-page.js'),
  },
  {
    rule: 'v1-and-app-apart',
    path: 'apps/gateway/src/app/inbox/inbox-body.ts',
    text: imports('../../v1/messages/send-message.js'),
  },
  {
    rule: 'shared-rooms-know-no-api',
    path: 'apps/gateway/src/messages/accepted-message.ts',
    text: imports('../v1/messages/send-message.js'),
  },
  {
    rule: 'shared-rooms-know-no-api',
    path: 'apps/gateway/src/template-list/template-page.ts',
    text: typeImport('a', '../app/inbox/inbox-view.js'),
  },
  {
    rule: 'http-carries-every-route',
    path: 'apps/gateway/src/http/http-server.ts',
    text: imports('../v1/messages/send-message.js'),
  },
  {
    rule: 'http-carries-every-route',
    path: 'apps/gateway/src/http/route-docs.ts',
    text: typeImport('a', '../reference/api-documents.js'),
  },
  {
    rule: 'description-is-data',
    path: 'apps/gateway/src/description/introduction.ts',
    text: typeImport('a', '../v1/messages/send-message.js'),
  },
];

/** Legal files: what the canaries import, and the nearest lawful neighbours of each rule. None may be reported. */
export const lawfulFiles: Readonly<Record<string, string>> = {
  'apps/contacts/src/contact/contact.repository.ts': imports('typeorm'),
  'apps/gateway/src/identity/key/key.repository.ts': imports('typeorm') + imports('pg'),
  'apps/contacts/src/contacts.module.ts': imports('typeorm'),
  'apps/contacts/src/contacts.config.ts': imports('node:process'),
  'apps/contacts/migrations/0001-contacts.ts': imports('typeorm'),
  'apps/contacts/src/contact/contact.int.ts': imports('@switchboard/testing') + imports('pg'),
  'apps/messaging/src/send-message/send-message.batch.ts': imports('@switchboard/postgres/coalesce'),
  'apps/messaging/src/settle-message/settle-message.ts': imports('../message/message.policy.js'),
  'apps/messaging/src/settle-message/settle-message.consumer.ts': imports('./settle-message.js'),
  'apps/messaging/src/message/message.policy.ts': imports('@switchboard/contracts/grammar/cuid'),
  'apps/gateway/src/v1/messages/messages.controller.ts': imports('../../identity/admission.contract.js'),
  'apps/gateway/src/v1/messages/send-message.ts': 'export type a = 1;\n',
  'apps/gateway/src/app/inbox/inbox-view.ts': imports('../../messages/whole-page.js') + 'export type a = 1;\n',
  'apps/gateway/src/description/headers.ts': 'export type a = 1;\n',
  'apps/gateway/src/messages/whole-page.ts': imports('../description/headers.js'),
  'apps/gateway/src/reference/api-documents.ts': imports('../description/headers.js') + 'export type a = 1;\n',
  'apps/gateway/src/identity/admission.contract.ts': imports('./key/key.entity.js'),
  'apps/gateway/src/identity/identity.module.ts': imports('./key/key.entity.js'),
  'apps/gateway/src/identity/key/key.entity.ts': imports('typeorm'),
  'apps/gateway/src/app/app.module.ts': imports('../identity/identity.module.js'),
  'apps/console/src/main.tsx': imports('react') + imports('./api/call.js'),
  'apps/console/src/api/call.ts': 'export const a = 1;\n',
  'apps/console/vite.config.ts': imports('node:fs') + imports('vite'),
  'libs/contracts/src/grammar/cuid.ts': 'export const a = 1;\n',
  'libs/contracts/src/grammar/cuid.unit.ts': imports('fast-check') + imports('./cuid.js'),
  'libs/nats/src/index.ts': imports('@nats-io/transport-node'),
  'libs/phone/src/index.ts': imports('libphonenumber-js/max'),
  'libs/postgres/src/coalesce.ts': imports('pg') + imports('typeorm'),
  'libs/timing/src/pause.ts': imports('node:timers/promises'),
  'libs/testing/src/index.ts': imports('@switchboard/embedded-servers'),
  'libs/embedded-servers/src/index.ts': imports('node:fs'),
  'libs/outbox/src/index.ts': imports('@switchboard/contracts/grammar/cuid'),
  // The other half of the cycle, which is reported once, from its first file.
  'libs/outbox/src/round-b.ts': imports('./round-a.js'),
  'tools/dev/src/index.ts': imports('pg') + imports('@switchboard/embedded-servers'),
};
