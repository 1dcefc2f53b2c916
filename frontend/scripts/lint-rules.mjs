/** Lint rules of this project. */

/** Limits the number of props of a component: one with many props usually does several things. */
const componentProps = {
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

/**
 * Requires a private member in every class. TypeScript then accepts only instances of the class; if
 * all members are public, it accepts any object with the same members.
 */
const nominalClasses = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      structural: '{{name}} has no private member: any object of its shape passes for one.',
    },
  },
  create(context) {
    const isHidden = ({ accessibility, key }) =>
      accessibility === 'private' ||
      accessibility === 'protected' ||
      key?.type === 'PrivateIdentifier';
    const constructorParameters = (member) =>
      member.type === 'MethodDefinition' && member.kind === 'constructor'
        ? member.value.params
        : [];
    return {
      ClassDeclaration: (node) => {
        const members = node.body.body.flatMap((member) => [
          member,
          ...constructorParameters(member),
        ]);
        if (!members.some(isHidden))
          context.report({
            node: node.id ?? node,
            messageId: 'structural',
            data: { name: node.id?.name ?? 'This class' },
          });
      },
    };
  },
};

export default {
  meta: { name: 'local' },
  rules: { 'component-props': componentProps, 'nominal-classes': nominalClasses },
};
