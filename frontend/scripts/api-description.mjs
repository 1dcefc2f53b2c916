/**
 * Describes the API in a compact form, with the typed members of every operation and schema, and
 * compares two descriptions.
 */

const METHODS = ['get', 'put', 'post', 'patch', 'delete', 'head'];

/** Returns the type of a JSON schema in one line, without limits and texts. */
export function typeOf(schema) {
  if (!schema || Object.keys(schema).length === 0) return 'any';
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return [...new Set(union.map(typeOf))].join(' | ');
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(', ')}]`;
  if (schema.type === 'array') {
    const items = typeOf(schema.items);
    return items.includes(' ') ? `(${items})[]` : `${items}[]`;
  }
  if (schema.type === 'object' && schema.additionalProperties)
    return `map of ${schema.additionalProperties === true ? 'any' : typeOf(schema.additionalProperties)}`;
  return schema.format ? `${schema.type} (${schema.format})` : (schema.type ?? 'any');
}

function describeOperation({ parameters = [], requestBody, responses }) {
  const members = parameters.map(({ in: place, name, required, schema }) => [
    `${place} ${name}${required ? '' : '?'}`,
    typeOf(schema),
  ]);
  for (const [media, { schema }] of Object.entries(requestBody?.content ?? {}))
    members.push([`body ${media}`, typeOf(schema)]);
  for (const [status, { content }] of Object.entries(responses)) {
    if (!status.startsWith('2')) continue;
    const answers = Object.entries(content ?? {}).map(([media, { schema }]) =>
      media === 'application/json' ? typeOf(schema) : media,
    );
    members.push([status, answers.join(' | ') || 'empty']);
  }
  return sorted(members);
}

function describeSchema(schema) {
  if (!schema.properties) return { '=': typeOf(schema) };
  const required = new Set(schema.required);
  return sorted(
    Object.entries(schema.properties).map(([name, property]) => [
      required.has(name) ? name : `${name}?`,
      typeOf(property),
    ]),
  );
}

const sorted = (entries) =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));

/** Maps the operations (`GET /path`) and schemas of an OpenAPI document to their typed members. */
export function describeApi({ paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => [
      `${method.toUpperCase()} ${path}`,
      describeOperation(item[method]),
    ]),
  );
  const schemas = Object.entries(components?.schemas ?? {}).map(([name, schema]) => [
    name,
    describeSchema(schema),
  ]);
  return { operations: sorted(operations), schemas: sorted(schemas) };
}

/** Formats a description with one line per operation or schema, for readable diffs. */
export function formatDescription({ operations, schemas }) {
  const lines = (group) =>
    Object.entries(group)
      .map(([name, members]) => `    ${JSON.stringify(name)}: ${JSON.stringify(members)}`)
      .join(',\n');
  return `{\n  "operations": {\n${lines(operations)}\n  },\n  "schemas": {\n${lines(schemas)}\n  }\n}\n`;
}

function diffMembers(before, after) {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((name) => {
    if (!(name in before)) return [`    + ${name}: ${after[name]}`];
    if (!(name in after)) return [`    - ${name}: ${before[name]}`];
    return before[name] === after[name] ? [] : [`    ~ ${name}: ${before[name]} -> ${after[name]}`];
  });
}

function diffGroup(before, after) {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((name) => {
    if (!(name in before)) return [`  + ${name}`];
    if (!(name in after)) return [`  - ${name}`];
    const members = diffMembers(before[name], after[name]);
    return members.length > 0 ? [`  ~ ${name}`, ...members] : [];
  });
}

/** Returns the changes between two descriptions, as lines to print; none if they are equal. */
export function diffDescriptions(before, after) {
  return ['operations', 'schemas'].flatMap((group) => {
    const lines = diffGroup(before[group], after[group]);
    return lines.length > 0 ? [`${group}:`, ...lines] : [];
  });
}
