/**
 * No answer came. `unknown`: a process received the request, which may have had its effect; repeat it by your own id.
 * `none`: no process took it, nothing happened.
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
