/**
 * No answer came. `unknown`: the request was delivered to somebody and may have had its effect; ask again by your own
 * id. `none`: no process took it, nothing happened.
 */
export class RpcUnanswered extends Error {
  constructor(
    readonly subject: string,
    readonly effect: 'none' | 'unknown',
    cause: unknown,
  ) {
    super(`${subject} was not answered (effect: ${effect})`, { cause });
    this.name = 'RpcUnanswered';
  }
}

/** The link broke while an answer was awaited: there may be another way to the same service. */
export class LinkLost extends Error {
  constructor(options?: ErrorOptions) {
    super('the link was lost before the answer', options);
    this.name = 'LinkLost';
  }
}
