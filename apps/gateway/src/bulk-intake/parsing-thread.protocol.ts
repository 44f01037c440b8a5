import type { RpcFailure } from '@switchboard/contracts/grammar/define-rpc';
import type { BulkBodyEnd } from './bulk-body.js';
import type { RecipientChunk } from './recipient-chunks.js';

/** What a thread is asked: the bodies are numbered by the asking side. */
export type ThreadRequest =
  | { readonly kind: 'piece'; readonly body: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end'; readonly body: number }
  /** Has no answer. */
  | { readonly kind: 'drop'; readonly body: number };

/** What it answers, to each request of a body in turn. */
export type ThreadAnswer =
  | { readonly kind: 'chunks'; readonly body: number; readonly chunks: readonly RecipientChunk[] }
  | { readonly kind: 'ended'; readonly body: number; readonly end: BulkBodyEnd }
  | { readonly kind: 'refused'; readonly body: number; readonly failure: RpcFailure };
