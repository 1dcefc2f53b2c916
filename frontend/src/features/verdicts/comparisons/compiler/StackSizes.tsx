/** The compiler section below the profiles: the stack depth of the hottest paths in both builds. */
import type { CompilerSection } from '../../../../api';
import { HelpLink, Section } from '../../../../ui';
import { HotPaths } from '../../../evidence/profiles';

export function StackSizes({ section }: { section: CompilerSection | null | undefined }) {
  // Results of earlier versions have no paths.
  const paths = section?.hot_paths ?? [];
  if (paths.length === 0) return null;
  return (
    <Section
      title="Compiler: stack depth of the hottest paths"
      aside="base dashed, candidate below; a call beyond a limit needs the next stack size"
      controls={<HelpLink topic="compiler" />}
    >
      {section?.pgo && <p>{section.pgo}</p>}
      <HotPaths paths={paths} />
    </Section>
  );
}
