import { describe, expect, test } from 'vitest';
import { describeApi, diffDescriptions, formatDescription, typeOf } from './api-description.mjs';

const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema) => ({ 'application/json': { schema } });

const api = (change = (document) => document) => {
  const document = {
    paths: {
      '/api/v1/builds': {
        get: {
          parameters: [
            { in: 'query', name: 'cursor', required: false, schema: { type: 'string' } },
            { in: 'header', name: 'Slowpath-Team', required: true, schema: { type: 'string' } },
          ],
          responses: { 200: { content: json(ref('BuildsOut')) }, 404: { content: json({}) } },
        },
      },
      '/api/v1/builds/{id}': { delete: { responses: { 204: {} } } },
    },
    components: {
      schemas: {
        BuildsOut: {
          type: 'object',
          required: ['items'],
          properties: {
            items: { type: 'array', items: ref('BuildOut') },
            next_cursor: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          },
        },
        State: { enum: ['done', 'failed'], type: 'string' },
      },
    },
  };
  change(document);
  return describeApi(document);
};

describe('a description', () => {
  test('has the members of operations and schemas with their types, and no error answers', () => {
    expect(api()).toEqual({
      operations: {
        'DELETE /api/v1/builds/{id}': { 204: 'empty' },
        'GET /api/v1/builds': {
          200: 'BuildsOut',
          'header Slowpath-Team': 'string',
          'query cursor?': 'string',
        },
      },
      schemas: {
        BuildsOut: { items: 'BuildOut[]', 'next_cursor?': 'string | null' },
        State: { '=': '"done" | "failed"' },
      },
    });
  });

  test('is read back from its text', () => {
    expect(JSON.parse(formatDescription(api()))).toEqual(api());
  });

  test.each([
    [{}, 'any'],
    [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'map of number'],
    [{ type: 'array', prefixItems: [{ type: 'number' }, ref('Unit')] }, '[number, Unit]'],
  ])('writes %j as a type', (schema, type) => expect(typeOf(schema)).toBe(type));
});

describe('a difference', () => {
  test('of equal descriptions is empty', () => expect(diffDescriptions(api(), api())).toEqual([]));

  test('names paths, parameters and fields that were added, removed or changed', () => {
    const after = api(({ paths, components }) => {
      delete paths['/api/v1/builds/{id}'];
      paths['/api/v1/builds'].get.parameters[0].name = 'after';
      components.schemas.BuildsOut.properties.next_cursor = { type: 'string' };
      components.schemas.NewOut = { type: 'object', properties: {} };
    });
    expect(diffDescriptions(api(), after)).toEqual([
      'operations:',
      '  - DELETE /api/v1/builds/{id}',
      '  ~ GET /api/v1/builds',
      '    + query after?: string',
      '    - query cursor?: string',
      'schemas:',
      '  ~ BuildsOut',
      '    ~ next_cursor?: string | null -> string',
      '  + NewOut',
    ]);
  });
});
