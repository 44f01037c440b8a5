/**
 * A request that is JSON already: text that was made elsewhere is neither read nor written a second time.
 *
 * @typeParam Request what the text is in JSON; the maker answers for it
 */
export class JsonText<Request> {
  declare readonly request: Request;

  /** @param parts the text; bytes are UTF-8, and must not change before the call has returned */
  constructor(readonly parts: readonly (string | Uint8Array)[]) {}
}
