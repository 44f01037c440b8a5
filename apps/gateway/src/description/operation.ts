import type { ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import type { RouteDocs } from '../http/route-docs.js';
import { bodyUseOf } from '../http/route-declaration.js';
import type { MountedRoute } from '../http/route-table.js';
import type { ApiFrame } from './api-frame.js';
import { answerResponse } from './answers.js';
import type { RequestHeader } from './headers.js';
import { inputOf } from './inputs.js';
import type { JsonObject } from './json-schema.js';
import { sentencesOf } from './refusal-sentences.js';
import { refusalResponse, refusalsOf, type Refusing } from './refusals.js';

/** A route on its way to an operation. */
export class Operation {
  readonly path: string;
  readonly method: string;
  readonly docs: RouteDocs;
  readonly refusing: Refusing;
  readonly refusals: ReadonlyMap<number, readonly ErrorDefinition[]>;

  constructor(
    private readonly route: MountedRoute,
    private readonly frame: ApiFrame,
  ) {
    const { method, path, declaration } = route;
    if (!declaration.docs) throw new Error(`${method} ${path} has no docs`);
    this.path = path.replaceAll(/:(\w+)/g, '{$1}');
    this.method = method.toLowerCase();
    this.docs = declaration.docs;
    const { access, errors } = declaration;
    const scope = declaration.access === 'key' ? declaration.scope : null;
    const roles = declaration.access === 'session' ? declaration.roles : null;
    const headers = this.docs.refusalHeaders ?? [];
    const bodyUse = method === 'GET' ? null : bodyUseOf(declaration);
    const { wordings } = frame;
    const sentences = sentencesOf(route);
    this.refusing = { method, access, scope, roles, errors, headers, bodyUse, wordings, sentences };
    this.refusals = refusalsOf(this.refusing);
  }

  /** As it stands under its path. */
  describe(): JsonObject {
    const { operationId, tag, summary, description, answers } = this.docs;
    const { scope, roles, access, method } = this.refusing;
    const needed: readonly RequestHeader[] = access === 'session' && method !== 'GET' ? ['X-CSRF-Token'] : [];
    const { parameters, requestBody } = inputOf(this.route.path, this.docs, needed);
    const needs = [
      ...(scope === null ? [] : [`Needs the scope \`${scope}\`.`]),
      ...(roles === null ? [] : [`Needs the role ${roles.join(' or ')}.`]),
    ];
    return {
      operationId,
      tags: [tag],
      summary,
      description: [description, ...needs].join('\n\n'),
      security: access === 'public' || access === 'visitor' ? [] : this.frame.securityOf(scope),
      ...(parameters.length > 0 && { parameters }),
      ...(requestBody && { requestBody }),
      responses: {
        ...Object.fromEntries(
          Object.entries(answers).map(([status, answer]) => [status, answerResponse(Number(status), answer, access)]),
        ),
        ...Object.fromEntries(
          [...this.refusals].map(([status, errors]) => [
            status,
            this.isShared(errors)
              ? { $ref: `#/components/responses/${sharedName(errors)}` }
              : refusalResponse(status, errors, this.refusing),
          ]),
        ),
      },
    };
  }

  /** Responses that are the same for every route that has them. */
  sharedResponses(): [string, JsonObject][] {
    return [...this.refusals]
      .filter(([, errors]) => this.isShared(errors))
      .map(([status, errors]) => [sharedName(errors), refusalResponse(status, errors, this.refusing)]);
  }

  private isShared(errors: readonly ErrorDefinition[]): boolean {
    const { headers, access, sentences } = this.refusing;
    const saysItself = errors.some(({ code }) => code in sentences);
    return errors.length === 1 && headers.length === 0 && access !== 'public' && !saysItself;
  }
}

function sharedName([error]: readonly ErrorDefinition[]): string {
  const words = (error?.code ?? '').toLowerCase().split('_');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
