import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AccountRepository } from '../account/account.repository.js';
import type { KnobsRepository } from '../knobs/knobs.repository.js';
import { refusal } from '../provider-error/provider-error.entity.js';
import type { SendMessage } from '../send-message/send-message.handler.js';
import { listPhoneNumbers } from '../account/list-phone-numbers.handler.js';
import { listTemplates } from '../template/list-templates.handler.js';
import type { TemplateRepository } from '../template/template.repository.js';
import { sendAnswer, tokenOf } from './provider-http.js';

/**
 * The provider's own paths, `/{version}/{id}/messages`, `…/message_templates` and `…/phone_numbers`, by hand: on the path that
 * carries the load a router would cost more than the rest of the work.
 *
 * While the knob `down` is on, the connection is destroyed before anything of the request is read or recorded.
 */
export function contractHandler(parts: {
  readonly knobs: KnobsRepository;
  readonly accounts: AccountRepository;
  readonly templates: TemplateRepository;
  readonly sendMessage: SendMessage;
}): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    if (parts.knobs.current.down) {
      request.socket.destroy();
      return;
    }
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const [root, version, id, edge, rest] = path.split('/');
    const isKnown = root === '' && version?.startsWith('v') === true && id !== undefined && rest === undefined;
    if (isKnown && edge === 'messages' && request.method === 'POST') {
      parts.sendMessage.handle(request, response, id);
      return;
    }
    request.resume();
    if (isKnown && edge === 'message_templates' && request.method === 'GET') {
      const url = new URL(request.url ?? '', `http://${request.headers.host ?? 'localhost'}`);
      sendAnswer(
        response,
        listTemplates(parts.accounts, parts.templates, { wabaId: id, url, token: tokenOf(request) }),
      );
      return;
    }
    if (isKnown && edge === 'phone_numbers' && request.method === 'GET') {
      sendAnswer(response, listPhoneNumbers(parts.accounts, { wabaId: id, token: tokenOf(request) }));
      return;
    }
    sendAnswer(response, refusal(100, 'Unknown path components'));
  };
}
