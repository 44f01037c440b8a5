export * from './address.policy.js';
export { NameServers, NameServersSilent } from './name-servers.js';
export * from './outbound.js';
export * from './outbound-http.client.js';
export { OutboundThread } from './outbound-thread.client.js';
export type { ThreadOptions } from './outbound-thread.protocol.js';
export * from './refused-hosts.policy.js';
export * from './resolve-name.client.js';
export * from './url.policy.js';
