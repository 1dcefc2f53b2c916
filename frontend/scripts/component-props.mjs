/** Limits how many props a component takes: many props say that it does several things. */
export const componentProps = {
  meta: {
    type: 'suggestion',
    schema: [{ type: 'object', properties: { max: { type: 'integer' } }, required: ['max'] }],
    messages: { tooMany: '{{name}} takes {{count}} props; the limit is {{max}}.' },
  },
  create(context) {
    const [{ max }] = context.options;
    const check = (node, name, [first]) => {
      const pattern = first?.type === 'AssignmentPattern' ? first.left : first;
      if (!/^[A-Z]/u.test(name ?? '') || pattern?.type !== 'ObjectPattern') return;
      const count = pattern.properties.filter(({ type }) => type === 'Property').length;
      if (count > max) context.report({ node, messageId: 'tooMany', data: { name, count, max } });
    };
    return {
      FunctionDeclaration: (node) => check(node, node.id?.name, node.params),
      VariableDeclarator: ({ id, init }) => {
        if (init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression')
          check(init, id.name, init.params);
      },
    };
  },
};
