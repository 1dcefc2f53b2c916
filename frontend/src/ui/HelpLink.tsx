import { HiddenInSnapshot } from './SnapshotContext';
import { HELP_TOPICS, type HelpTopic } from './help-topics';

/** A link to the page of the user guide about a topic, in a new tab: the page behind it remains as it is. */
export function HelpLink({ topic }: { topic: HelpTopic }) {
  const { path, label } = HELP_TOPICS[topic];
  return (
    <HiddenInSnapshot>
      <a className="link nowrap" href={path} target="_blank" rel="noopener">
        {label}
      </a>
    </HiddenInSnapshot>
  );
}
