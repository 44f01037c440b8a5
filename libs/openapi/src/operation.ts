import type { ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import { answerResponse } from './answers.js';
import type { ApiDefinition } from './api-definition.js';
import type { ApiRoute } from './api-route.js';
import type { JsonObject } from './json-schema.js';
import { parametersOf, requestBodyOf } from './parameters.js';
import { errorsByStatus, refusalResponse } from './refusals.js';

/** A route on its way to an operation. */
export class Operation {
  /** Its parameters in braces. */
  readonly path: string;
  /** In small letters. */
  readonly method: string;
  readonly errors: ReadonlyMap<number, readonly ErrorDefinition[]>;

  constructor(
    readonly route: ApiRoute,
    private readonly api: ApiDefinition,
  ) {
    this.path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    this.method = route.method.toLowerCase();
    this.errors = errorsByStatus(route.refusals);
  }

  /** The operation object, for its path and method. */
  describe(): JsonObject {
    const { operationId, tag, summary, description, security, answers, body } = this.route;
    const parameters = parametersOf(this.route, this.api);
    const answered = Object.entries(answers).map(([status, answer]) => [
      status,
      answerResponse(answer, this.api.shapes),
    ]);
    const refused = [...this.errors].map(([status, errors]) => [status, this.refusal(status, errors)]);
    return {
      operationId,
      tags: [tag],
      summary,
      description,
      security,
      ...(parameters.length > 0 && { parameters }),
      ...(body && { requestBody: requestBodyOf(body) }),
      responses: { ...Object.fromEntries(answered), ...Object.fromEntries(refused) },
    };
  }

  /** The responses that routes share, by the names of their components. */
  sharedResponses(): [string, JsonObject][] {
    return [...this.errors]
      .filter(([, errors]) => this.isShared(errors))
      .map(([status, errors]) => [sharedName(errors), this.response(status, errors)]);
  }

  private refusal(status: number, errors: readonly ErrorDefinition[]): JsonObject {
    if (!this.isShared(errors)) return this.response(status, errors);
    return { $ref: `#/components/responses/${sharedName(errors)}` };
  }

  private response(status: number, errors: readonly ErrorDefinition[]): JsonObject {
    return refusalResponse(status, errors, this.route.refusals, this.api.wordings);
  }

  private isShared(errors: readonly ErrorDefinition[]): boolean {
    const { sharesRefusals, refusals } = this.route;
    const hasOwnSentence = errors.some(({ code }) => code in refusals.sentences);
    return sharesRefusals && errors.length === 1 && !hasOwnSentence;
  }
}

/** `API_KEY_NOT_FOUND` is `ApiKeyNotFound`. */
function sharedName([error]: readonly ErrorDefinition[]): string {
  const words = (error?.code ?? '').toLowerCase().split('_');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
