import { expect, test } from 'vitest';
import type { ApiOperation, ApiSchema } from '../../../api';
import { curlExample, exampleOf } from './curl-example';

const schemas: Record<string, ApiSchema> = {
  SideIn: {
    type: 'object',
    required: ['type', 'build_id'],
    properties: {
      type: { type: 'string', const: 'build' },
      build_id: { type: 'string', format: 'uuid' },
      label: { type: 'string' },
    },
  },
  Tree: {
    type: 'object',
    required: ['below'],
    properties: { below: { $ref: '#/components/schemas/Tree' } },
  },
};
const body = (schema: ApiSchema): ApiOperation => ({
  responses: {},
  requestBody: { content: { 'application/json': { schema } } },
});
const named = (method: string, path: string, operation: ApiOperation) => ({
  id: 'x',
  method,
  path,
  operation,
});

test('curlExample writes a body with the required members and values of their types', () => {
  const sides: ApiSchema = {
    type: 'object',
    required: ['base', 'names'],
    properties: {
      base: { $ref: '#/components/schemas/SideIn' },
      names: { type: 'array', items: { type: 'string' } },
    },
  };
  expect(curlExample(named('post', '/api/v1/comparisons', body(sides)), schemas)).toBe(
    `curl --fail-with-body -H "Authorization: Bearer $SLOWPATH_TOKEN" \\
  --json '{"base":{"type":"build","build_id":"00000000-0000-0000-0000-000000000000"},"names":["NAMES"]}' \\
  "$SLOWPATH_URL/api/v1/comparisons"`,
  );
});

test('curlExample writes path parameters in capitals, and only required query parameters', () => {
  const operation: ApiOperation = {
    parameters: [
      {
        name: 'from',
        in: 'query',
        required: true,
        schema: { type: 'string', format: 'date-time' },
      },
      { name: 'limit', in: 'query', schema: { type: 'integer' } },
    ],
    responses: {},
  };
  expect(curlExample(named('delete', '/api/v1/builds/{build_id}', operation), schemas)).toBe(
    `curl --fail-with-body -H "Authorization: Bearer $SLOWPATH_TOKEN" \\
  -X DELETE \\
  "$SLOWPATH_URL/api/v1/builds/BUILD_ID?from=2026-01-31T12%3A00%3A00Z"`,
  );
});

test('curlExample sends binary content from a file', () => {
  const bytes: ApiOperation = {
    responses: {},
    requestBody: { content: { 'application/octet-stream': {} } },
  };
  expect(curlExample(named('put', '/api/v1/artifacts/{name}', bytes), schemas)).toContain(
    '-H "Content-Type: application/octet-stream" --data-binary @FILE',
  );
});

test('curlExample escapes quotes in values, and exampleOf ends at a recursive schema', () => {
  const operation = body({ type: 'string', const: "it's" });
  expect(curlExample(named('post', '/x', operation), schemas)).toContain(`--json '"it'\\''s"'`);
  expect(JSON.stringify(exampleOf(schemas.Tree!, schemas, 'tree'))).toContain('"below":{}');
});
