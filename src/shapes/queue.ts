/** The queues that work is on: a worker takes from both, or from one of them. */
export const QUEUES = ['turns', 'steps'] as const
export type QueueName = (typeof QUEUES)[number]
