/** Who acts. A console user and an API key meet in the same use cases. */
export type Actor =
  | { readonly type: 'key'; readonly keyId: string }
  | { readonly type: 'user'; readonly userId: string }
  | { readonly type: 'system'; readonly name: string };

/** On whose behalf and by whom a use case runs; part of every rpc. */
export interface Principal {
  readonly organizationId: string;
  readonly actor: Actor;
  /** The key's own list; null means all. */
  readonly scopes: readonly string[] | null;
}

/** The principal of work that the platform itself does for an organization (callbacks, retries, sweeps). */
export function systemPrincipal(organizationId: string, name: string): Principal {
  return { organizationId, actor: { type: 'system', name }, scopes: null };
}
