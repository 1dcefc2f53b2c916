import type { InboxAction, InboxItem, InboxItemRef } from '../../../api';

/** What a form of an action is given. */
export type ActionFormProps = {
  targets: InboxItem[];
  /** For all the items, unless some are named. */
  onAct: (action: InboxAction, items?: readonly InboxItemRef[]) => void;
  isPending: boolean;
  error: Error | null;
  onCancel: () => void;
};
