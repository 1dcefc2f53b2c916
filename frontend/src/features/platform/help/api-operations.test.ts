import { describe, expect, test } from 'vitest';
import type { ApiDocument, ApiOperation } from '../../../api';
import {
  filterOperations,
  groupOperations,
  limitsText,
  referencedSchemas,
  typeText,
} from './api-operations';

const operation = (tag: string, summary: string): ApiOperation => ({
  tags: [tag],
  summary,
  responses: {},
});
const document: ApiDocument = {
  paths: {
    '/api/v1/reports': {
      post: operation('reports', 'Create Report'),
      get: operation('reports', 'List Reports'),
    },
    '/api/v1/builds/{id}': { get: operation('builds', 'Get Build') },
  },
  components: { schemas: {} },
};

describe('API operations', () => {
  test('are grouped by tag, with the tags in alphabetical order', () => {
    const groups = [...groupOperations(document)].map(([tag, all]) => [
      tag,
      all.map(({ id }) => id),
    ]);
    expect(groups).toEqual([
      ['builds', ['get-api-v1-builds-id']],
      ['reports', ['get-api-v1-reports', 'post-api-v1-reports']],
    ]);
  });

  test.each([
    ['', 3],
    ['post', 1],
    ['list report', 1],
    ['builds', 1],
    ['nothing', 0],
  ])('filtered by "%s" have %d matches', (words, count) => {
    const left = [...filterOperations(groupOperations(document), words).values()];
    expect(left.flat()).toHaveLength(count);
  });
});

const ref = { $ref: '#/components/schemas/BuildOut' };

test.each([
  [ref, 'BuildOut'],
  [{ anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] }, 'string (uuid) or null'],
  [{ type: 'array', items: ref }, 'list of BuildOut'],
  [{ enum: ['a', 'b'] }, '"a", "b"'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'map of number'],
  [{}, 'any'],
])('typeText describes %j as %s', (schema, text) => expect(typeText(schema)).toBe(text));

test('limitsText and referencedSchemas look into nullable schemas', () => {
  const schema = { anyOf: [{ type: 'string', maxLength: 200 }, { type: 'null' }], default: 'x' };
  expect(limitsText(schema)).toBe('at most 200 characters, default "x"');
  expect(referencedSchemas({ anyOf: [{ type: 'array', items: ref }, { type: 'null' }] })).toEqual([
    'BuildOut',
  ]);
});
