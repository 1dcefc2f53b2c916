/** The progress of each step that sets up a service. */
import { calls } from '../../../api';
import {
  firstStepQuery,
  makeStepQuery,
  one,
  type FirstStepId,
  type ReadStep,
  type StepId,
} from './setup-state';

/** By later step: reads the newest object. */
const READ_LATER: Record<Exclude<StepId, FirstStepId>, ReadStep> = {
  deployment: async (signal) => {
    const [found] = (await calls.deploymentsList({ query: one, signal })).items;
    return found ? { words: 'recorded', at: found.created_at } : null;
  },
  runner: async (signal) => {
    const [found] = await calls.runnersList({ signal });
    return found ? { words: found.name, at: found.seen_at } : null;
  },
  channel: async (signal) => {
    const [found] = (await calls.notificationChannelsList({ query: one, signal })).items;
    return found ? { words: found.name, at: found.created_at } : null;
  },
};

const isLater = (id: StepId): id is keyof typeof READ_LATER => id in READ_LATER;

export const stepQuery = (id: StepId) =>
  isLater(id) ? makeStepQuery(id, READ_LATER[id]) : firstStepQuery(id);
