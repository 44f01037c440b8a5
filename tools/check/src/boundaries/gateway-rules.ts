import type { IForbiddenRuleType } from 'dependency-cruiser';

/** What the controllers of both APIs use. */
const shared = 'acts|analytics|bulk-intake|messages|template-list';

/** The gateway's rooms that speak HTTP, or serve those that do. */
const speaksHttp = `^apps/gateway/src/(http|v1|app|callbacks|erase-callbacks|console|description|reference|${shared})/`;

/** All of the gateway but `identity` itself, its schema, and the two programs that prepare and operate its tables; tests apart. */
const outsideIdentity = '^apps/gateway/src/(?!identity/|migrations/|operate\\.ts$|seed\\.ts$|.*\\.(unit|int)\\.ts$)';

/** The wall around the gateway's `identity`: organizations, people, keys and plans know no HTTP. */
export const gatewayRules: readonly IForbiddenRuleType[] = [
  {
    name: 'identity-only-by-contract',
    comment: 'It becomes a service of its own one day; then only the contract is left between them.',
    from: { path: outsideIdentity, pathNot: '\\.module\\.ts$' },
    to: { path: '^apps/gateway/src/identity/', pathNot: '^apps/gateway/src/identity/[^/]+\\.contract\\.ts$' },
  },
  {
    name: 'modules-import-the-identity-module',
    comment: 'A Nest module names the module whose contracts its providers inject, and nothing behind it.',
    from: { path: `${outsideIdentity}.*\\.module\\.ts$` },
    to: { path: '^apps/gateway/src/identity/', pathNot: '^apps/gateway/src/identity/[^/]+\\.(contract|module)\\.ts$' },
  },
  {
    name: 'identity-knows-no-http',
    comment: 'Use cases know no HTTP.',
    from: { path: '^apps/gateway/src/identity/' },
    to: { path: speaksHttp },
  },
  {
    name: 'v1-and-app-apart',
    comment: 'What both need is in a room that belongs to neither: neither API may break the other.',
    from: { path: '^apps/gateway/src/(v1|app)/' },
    to: { path: '^apps/gateway/src/(v1|app)/', pathNot: '^apps/gateway/src/$1/' },
  },
  {
    name: 'shared-rooms-know-no-api',
    comment: 'What both APIs use depends on neither: an import of one would bring it into the other.',
    from: { path: `^apps/gateway/src/(${shared})/` },
    to: { path: '^apps/gateway/src/(v1|app)/' },
  },
  {
    name: 'http-carries-every-route',
    comment: 'The server, the envelope and the limits serve routes that they do not know.',
    from: { path: '^apps/gateway/src/http/', pathNot: '\\.(unit|int)\\.ts$' },
    to: { path: `^apps/gateway/src/(v1|app|callbacks|erase-callbacks|console|reference|${shared})/` },
  },
  {
    name: 'description-is-data',
    comment:
      'Routes declare names of it, and `reference` builds documents from both: imports of its own would be a cycle.',
    from: { path: '^apps/gateway/src/description/' },
    to: { path: '^apps/gateway/src/', pathNot: '^apps/gateway/src/description/' },
  },
];
