import { confirmErasureRpc, getErasureRpc, type ErasedNumbers } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import type { RpcClient } from '@switchboard/nats';

/** Names a contact. */
export interface ErasureKey {
  readonly organizationId: string;
  readonly contactId: string;
}

/** Where the numbers of an erased contact are until every service has confirmed. */
export interface ErasureBook {
  numbersOf(of: ErasureKey): Promise<ErasedNumbers>;
  confirm(of: ErasureKey): Promise<void>;
}

/** The book of every service but contacts, which keeps it. */
export function remoteErasureBook(rpc: RpcClient, service: string): ErasureBook {
  return {
    numbersOf: ({ organizationId, contactId }) =>
      rpc.call(getErasureRpc, systemPrincipal(organizationId, 'erasure'), { contactId }),
    confirm: async ({ organizationId, contactId }) => {
      await rpc.call(confirmErasureRpc, systemPrincipal(organizationId, 'erasure'), { contactId, service });
    },
  };
}
