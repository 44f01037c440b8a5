import { asObject, asText, type JsonObject } from '../json/json-value.js';
import type { Template } from '../template/template.entity.js';
import type { ShapeFault, TemplateRequest } from './message-shape.policy.js';

/**
 * Why a template cannot be sent as asked, or undefined when it can: 132001 unknown or not approved, 132015 paused,
 * 132016 disabled, 132000 another number of body parameters than variables, 132012 a parameter without text or, in a NAMED
 * template, without the name of a variable.
 */
export function templateFault(template: Template | undefined, request: TemplateRequest): ShapeFault | undefined {
  if (template?.status === 'PAUSED') return { code: 132015, details: `template (${request.name}) is paused` };
  if (template?.status === 'DISABLED') return { code: 132016, details: `template (${request.name}) is disabled` };
  if (template?.status !== 'APPROVED') {
    return { code: 132001, details: `template name (${request.name}) does not exist in ${request.language}` };
  }
  const variables = variablesOf(template);
  const parameters = bodyParametersOf(request);
  if (parameters.length !== variables.length) {
    const details = `body: number of localizable_params (${parameters.length}) does not match the expected number of params (${variables.length})`;
    return { code: 132000, details };
  }
  for (const parameter of parameters) {
    if (parameter['type'] === 'text' && typeof parameter['text'] !== 'string') {
      return { code: 132012, details: 'body: a text parameter needs a text' };
    }
    if (template.parameter_format === 'NAMED' && !variables.includes(asText(parameter['parameter_name']) ?? '')) {
      return { code: 132012, details: 'body: Parameter name is missing or empty' };
    }
  }
  return undefined;
}

function variablesOf(template: Template): readonly string[] {
  const body = template.components.find((component) => component['type'] === 'BODY');
  const names = [...(asText(body?.['text']) ?? '').matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((match) => match[1] ?? '');
  return [...new Set(names)];
}

function bodyParametersOf(request: TemplateRequest): readonly JsonObject[] {
  const body = request.components.find((component) => String(component['type']).toLowerCase() === 'body');
  const parameters = body?.['parameters'];
  return Array.isArray(parameters) ? parameters.map((parameter: unknown) => asObject(parameter) ?? {}) : [];
}
