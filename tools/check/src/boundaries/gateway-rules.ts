import type { IForbiddenRuleType } from 'dependency-cruiser';

/** The wall between the gateway's two rooms: HTTP on one side, organizations, keys and plans on the other. */
export const gatewayRules: readonly IForbiddenRuleType[] = [
  {
    name: 'edge-reaches-organization-by-contract',
    comment: 'The rooms part into two services one day; then only the contract is left between them.',
    from: { path: '^apps/gateway/src/edge/' },
    to: {
      path: '^apps/gateway/src/organization/',
      pathNot: '^apps/gateway/src/organization/[^/]+\\.contract\\.ts$',
    },
  },
  {
    name: 'organization-never-imports-edge',
    comment: 'Use cases know no HTTP.',
    from: { path: '^apps/gateway/src/organization/' },
    to: { path: '^apps/gateway/src/edge/' },
  },
];
