import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProviderAnswer } from '../provider-error/provider-error.entity.js';

/** The bearer token of a request, or undefined. */
export function tokenOf(request: IncomingMessage): string | undefined {
  const header = request.headers.authorization;
  return header !== undefined && /^bearer /i.test(header) ? header.slice(7).trim() : undefined;
}

/** Sends an answer of the provider; does nothing when the client has gone. */
export function sendAnswer(response: ServerResponse, answer: ProviderAnswer): void {
  if (response.destroyed) return;
  const length = Buffer.byteLength(answer.body);
  if (length === 0) response.writeHead(answer.status, { 'content-length': 0 });
  else {
    response.writeHead(answer.status, { 'content-type': 'application/json; charset=UTF-8', 'content-length': length });
  }
  response.end(answer.body);
}
