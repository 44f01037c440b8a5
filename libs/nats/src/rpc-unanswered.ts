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

/** A process of the service started while an answer was awaited: the one that had the request may be gone. */
export class ServiceStarted extends Error {
  constructor() {
    super('a process of the service started before the answer');
    this.name = 'ServiceStarted';
  }
}

/** The link broke while an answer was awaited: there may be another way to the same service. */
export class LinkLost extends Error {
  constructor(options?: ErrorOptions) {
    super('the link was lost before the answer', options);
    this.name = 'LinkLost';
  }
}
